package workspace

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"syscall"
	"time"
	"unsafe"

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

// Size returns how many bytes the file has.
func (s FileState) Size() int64 { return s.size }

// Same reports whether both are the same file in the same state.
func (s FileState) Same(other FileState) bool { return s == other }

// Modified returns when the content changed.
func (s FileState) Modified() time.Time { return time.Unix(0, s.modified) }

// Changed returns when the content or its attributes changed, which no program can set.
func (s FileState) Changed() time.Time { return time.Unix(0, s.changed) }

// ListFolder returns the names in the folder at an absolute name, in no order, and what they are. Names that
// are removed meanwhile are left out.
func ListFolder(dir string) (names []string, states []FileState, err error) {
	fd, err := openFolder(dir)
	if err != nil {
		return nil, nil, err
	}
	defer unix.Close(fd)
	all, err := readFolder(dir, fd)
	var stat unix.Stat_t
	for name := range all.each {
		if err := retried(func() error { return unix.Fstatat(fd, name, &stat, unix.AT_SYMLINK_NOFOLLOW) }); err == nil {
			names, states = append(names, name), append(states, stateOf(&stat))
		}
	}
	return names, states, err
}

// readNames returns the names in the folder at an absolute name, in no order, those that it could read if it
// fails.
func readNames(dir string) (folderText, error) {
	fd, err := openFolder(dir)
	if err != nil {
		return folderText{}, err
	}
	defer unix.Close(fd)
	return readFolder(dir, fd)
}

// kindOf returns what kind of file a name in an open folder is. kind is what the folder says.
func kindOf(fd int, name string, kind byte) fileKind {
	if kind == unix.DT_UNKNOWN {
		var stat unix.Stat_t
		_ = retried(func() error { return unix.Fstatat(fd, name, &stat, unix.AT_SYMLINK_NOFOLLOW) }) // else it is gone
		kind = byte(stat.Mode >> 12)
	}
	switch kind {
	case unix.DT_REG:
		return regularFile
	case unix.DT_DIR:
		return aFolder
	case unix.DT_LNK:
		return aLink
	}
	return otherFile
}

func openFolder(dir string) (fd int, err error) {
	err = retried(func() (err error) {
		fd, err = unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
		return err
	})
	if err != nil {
		return 0, &os.PathError{Op: "open", Path: dir, Err: err}
	}
	return fd, nil
}

// readFolder returns the names in an open folder.
func readFolder(dir string, fd int) (all folderText, err error) {
	var names, kinds []byte
	buffer := make([]byte, 32<<10)
	for {
		var n int
		if err = retried(func() (err error) { n, err = unix.Getdents(fd, buffer); return err }); err != nil {
			err = &os.PathError{Op: "readdirent", Path: dir, Err: err}
			break
		}
		if n <= 0 {
			break
		}
		for rest := buffer[:n]; len(rest) >= nameAt; {
			size := int(binary.NativeEndian.Uint16(rest[sizeAt:]))
			name, _, _ := bytes.Cut(rest[nameAt:size], []byte{0})
			if string(name) != "." && string(name) != ".." {
				names, kinds = append(append(names, name...), 0), append(kinds, byte(kindOf(fd, string(name), rest[kindAt])))
			}
			rest = rest[size:]
		}
	}
	return folderText{string(names), string(kinds)}, err
}

// Where an entry of a folder has its size, its kind and its name.
const (
	sizeAt = int(unsafe.Offsetof(unix.Dirent{}.Reclen))
	kindAt = int(unsafe.Offsetof(unix.Dirent{}.Type))
	nameAt = int(unsafe.Offsetof(unix.Dirent{}.Name))
)

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

// state returns the state that a stamp has seen. ok is false if there was nothing.
func (s Stamp) state() (state FileState, ok bool) {
	if s.info == nil {
		return state, false
	}
	stat, ok := s.info.Sys().(*syscall.Stat_t)
	if !ok {
		return state, false
	}
	return FileState{
		device: uint64(stat.Dev), //nolint:unconvert // on some systems it has fewer bits
		inode:  stat.Ino, mode: stat.Mode,
		size: stat.Size, modified: stat.Mtim.Nano(), changed: stat.Ctim.Nano(),
	}, true
}

// String returns a text that differs for other states.
func (s FileState) String() string { return fmt.Sprintf("%x", s.append(nil)) }
