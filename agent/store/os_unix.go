//go:build unix && !linux

package store

import (
	"io/fs"
	"syscall"
)

func changeOf(fs.FileInfo) (changed int64, inode uint64) { return 0, 0 }

// exists reports whether there is a process with an id, as far as this one can see.
func exists(pid int) bool { return syscall.Kill(pid, 0) != syscall.ESRCH }
