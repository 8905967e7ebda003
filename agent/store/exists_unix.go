//go:build unix && !linux

package store

import "syscall"

// exists reports whether there is a process with an id, as far as this one can see.
func exists(pid int) bool { return syscall.Kill(pid, 0) != syscall.ESRCH }
