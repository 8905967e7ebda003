package workspace

import (
	"encoding/binary"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// FileState is which file a name was at one time, and in which state. It is small, since a list may have a
// hundred thousand of them.
type FileState struct {
	device, inode           uint64
	size, modified, changed int64 // bytes, and nanoseconds since 1970
	mode                    uint32
}

// StateOf returns the state of a file or folder by its absolute name. It follows no link.
func StateOf(name string) (FileState, error) {
	var stat unix.Stat_t
	if err := retried(func() error { return unix.Lstat(name, &stat) }); err != nil {
		return FileState{}, &os.PathError{Op: "lstat", Path: name, Err: err}
	}
	return stateOf(&stat), nil
}

func stateOf(stat *unix.Stat_t) FileState {
	return FileState{
		device: uint64(stat.Dev), //nolint:unconvert // on some systems it has fewer bits
		inode:  stat.Ino, mode: stat.Mode,
		size: stat.Size, modified: stat.Mtim.Nano(), changed: stat.Ctim.Nano(),
	}
}

// IsDir reports whether it is a folder.
func (s FileState) IsDir() bool { return s.mode&unix.S_IFMT == unix.S_IFDIR }

// SameFile reports whether both are the same file, in whichever states.
func (s FileState) SameFile(other FileState) bool {
	return s.device == other.device && s.inode == other.inode
}

// Same reports whether both are the same file in the same state.
func (s FileState) Same(other FileState) bool { return s == other }

// Modified returns when the content changed.
func (s FileState) Modified() time.Time { return time.Unix(0, s.modified) }

// Changed returns when the content or its attributes changed, which no program can set.
func (s FileState) Changed() time.Time { return time.Unix(0, s.changed) }

// ListFolder returns the names in the folder at an absolute name, in no order, and what they are. Names that
// are removed meanwhile are left out.
func ListFolder(dir string) (names []string, states []FileState, err error) {
	var fd int
	err = retried(func() (err error) {
		fd, err = unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
		return err
	})
	if err != nil {
		return nil, nil, &os.PathError{Op: "open", Path: dir, Err: err}
	}
	defer unix.Close(fd)
	buffer := make([]byte, 16<<10)
	var found []string
	for {
		var n int
		if err := retried(func() (err error) { n, err = unix.Getdents(fd, buffer); return err }); err != nil {
			return nil, nil, &os.PathError{Op: "readdirent", Path: dir, Err: err}
		}
		if n <= 0 {
			break
		}
		_, _, found = unix.ParseDirent(buffer[:n], -1, found)
	}
	names, states = found[:0], make([]FileState, 0, len(found))
	var stat unix.Stat_t
	for _, name := range found {
		if err := retried(func() error { return unix.Fstatat(fd, name, &stat, unix.AT_SYMLINK_NOFOLLOW) }); err == nil {
			names, states = append(names, name), append(states, stateOf(&stat))
		}
	}
	return names, states, nil
}

// retried calls a system call until no signal interrupts it.
func retried(call func() error) error {
	for {
		if err := call(); err != unix.EINTR {
			return err
		}
	}
}

// append appends the state to data.
func (s FileState) append(data []byte) []byte {
	for _, n := range []uint64{s.device, s.inode, uint64(s.size), uint64(s.modified), uint64(s.changed), uint64(s.mode)} {
		data = binary.NativeEndian.AppendUint64(data, n)
	}
	return data
}

// String returns a text that differs for other states.
func (s FileState) String() string { return fmt.Sprintf("%x", s.append(nil)) }
