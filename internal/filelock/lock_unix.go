//go:build unix

package filelock

import (
	"os"
	"syscall"
)

// Try locks a file for this open file alone, and reports whether it succeeded.
func Try(f *os.File) bool {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}

// Held reports whether a file is locked. Several processes may ask at the same time.
func Held(f *os.File) bool {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB) != nil
}
