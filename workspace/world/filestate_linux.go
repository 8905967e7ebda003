//go:build amd64 || arm64

package world

import (
	"fmt"
	"hash/maphash"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// fileState identifies the state of a file: each write changes it. A write to memory that a program has
// mapped and read before changes no time of a file in memory, so that needs the content too.
type fileState struct {
	inode   uint64
	mode    uint32
	size    int64
	ctime   unix.Timespec
	content uint64 // a hash of the content of a file in memory
}

// contents hashes contents; no command knows the seed.
var contents = maphash.MakeSeed()

// state returns the state of a file that the command has not written yet.
func (p *captured) state(path string, stat *unix.Stat_t) fileState {
	s := fileState{inode: stat.Ino, mode: stat.Mode, size: stat.Size, ctime: stat.Ctim}
	if p.memory && stat.Mode&unix.S_IFMT == unix.S_IFREG {
		s.content = hashIn(p.fd, path)
	}
	return s
}

// stayed reports whether a file is still in a state.
func (p *captured) stayed(was fileState, path string, stat *unix.Stat_t) bool {
	now := fileState{stat.Ino, stat.Mode, stat.Size, stat.Ctim, was.content}
	return now == was && now == p.state(path, stat) // which does not read what the command has made large
}

// hashIn returns a hash of the content of a file, 0 if it cannot be read.
func hashIn(fd int, path string) uint64 {
	file, err := openToRead(fd, path)
	if err != nil {
		return 0
	}
	defer file.Close()
	var h maphash.Hash
	h.SetSeed(contents)
	if _, err := io.Copy(&h, file); err != nil {
		return 0
	}
	return h.Sum64()
}

// inMemory reports whether a folder is in a file system in memory.
func inMemory(fd int) bool {
	var stat unix.Statfs_t
	return unix.Fstatfs(fd, &stat) == nil && stat.Type == unix.TMPFS_MAGIC
}

// openToRead opens a file. It follows no link and waits for nothing.
func openToRead(fd int, path string) (*os.File, error) {
	file, err := unix.Openat(fd, path, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("%q cannot be read: %w", path, err)
	}
	return os.NewFile(uintptr(file), path), nil
}
