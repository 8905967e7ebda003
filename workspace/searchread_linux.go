package workspace

import (
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"
)

// folders opens files below a workspace folder with one system call each: the kernel keeps
// the name inside the folder and refuses symbolic links, as [os.Root] does by opening each
// folder on the way. Kernel support is checked once.
type folders struct {
	mu     sync.Mutex
	opened map[*os.Root]*os.File
	cannot atomic.Bool
}

func (f *folders) read(e entry, limit int64, off *limits, buffer *[]byte) (data []byte, ok bool) {
	if f.cannot.Load() {
		return readSlowly(e, limit, off)
	}
	dir := f.open(e.dir)
	if dir == nil {
		return readSlowly(e, limit, off)
	}
	fd, err := unix.Openat2(int(dir.Fd()), e.rel, &unix.OpenHow{
		Flags:   unix.O_RDONLY | unix.O_NONBLOCK | unix.O_CLOEXEC | unix.O_NOCTTY,
		Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS,
	})
	switch err {
	case nil:
	case unix.ENOSYS, unix.EPERM, unix.EINVAL, unix.E2BIG: // an old kernel, or a sandbox
		f.cannot.Store(true)
		return readSlowly(e, limit, off)
	case unix.EAGAIN, unix.EINTR: // a file was renamed meanwhile
		return readSlowly(e, limit, off)
	default:
		return nil, false
	}
	defer unix.Close(fd)
	var info unix.Stat_t
	if err := unix.Fstat(fd, &info); err != nil || info.Mode&unix.S_IFMT != unix.S_IFREG || info.Size > limit {
		return nil, false
	}
	if off.files[[2]uint64{info.Dev, info.Ino}] {
		return nil, false
	}
	return readAll(fd, info.Size, limit, buffer)
}

// readAll reads a file of about size bytes into buffer, which may grow.
func readAll(fd int, size, limit int64, buffer *[]byte) (data []byte, ok bool) {
	if int64(cap(*buffer)) < size+1 { // one more byte, to detect the end
		*buffer = make([]byte, max(size+1, 64<<10))
	}
	space := (*buffer)[:cap(*buffer)]
	n := 0
	for {
		m, err := unix.Read(fd, space[n:])
		switch {
		case err == unix.EINTR:
			continue
		case err != nil:
			return nil, false
		}
		n += m
		if m == 0 || int64(n) == size {
			return space[:n], true
		}
		if int64(n) > limit {
			return nil, false // it has grown
		}
		if n == len(space) {
			*buffer = append(space, make([]byte, len(space))...)
			space = *buffer
		}
	}
}

// open returns a handle of the folder, nil if it cannot be opened.
func (f *folders) open(root *os.Root) *os.File {
	f.mu.Lock()
	defer f.mu.Unlock()
	if dir, known := f.opened[root]; known {
		return dir
	}
	dir, err := root.Open(".")
	if err != nil {
		dir = nil
	}
	if f.opened == nil {
		f.opened = map[*os.Root]*os.File{}
	}
	f.opened[root] = dir
	return dir
}

func (f *folders) close() {
	for _, dir := range f.opened {
		if dir != nil {
			_ = dir.Close() // opened to name files only
		}
	}
}

// numbered is a set of files by device and inode number.
type numbered map[[2]uint64]bool

// numbers returns the files that are off limits themselves.
func (d onDisk) numbers() numbered {
	out := numbered{}
	for _, p := range d {
		if s, ok := p.info.Sys().(*syscall.Stat_t); ok && slices.Contains(p.off, "") {
			out[[2]uint64{s.Dev, s.Ino}] = true
		}
	}
	return out
}
