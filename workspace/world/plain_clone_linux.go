package world

import (
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// clone makes a file that shares the content of another one, as some file systems can. ok is false if it
// cannot: then to is an empty file, or nil if there is none.
func clone(root *os.Root, path string, from *os.File, mode fs.FileMode) (to *os.File, ok bool) {
	to, err := root.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return nil, false
	}
	return to, unix.IoctlFileClone(int(to.Fd()), int(from.Fd())) == nil
}

// changed returns when a file or its attributes changed, in nanoseconds.
func changed(info fs.FileInfo) int64 { return info.Sys().(*syscall.Stat_t).Ctim.Nano() }
