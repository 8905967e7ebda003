//go:build unix

package filelock

import (
	"os"
	"syscall"
)

// Try locks a file for this open file alone, and reports whether it could.
func Try(f *os.File) bool {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}

// Held reports whether somebody has locked a file. Several may ask at the same
// time.
func Held(f *os.File) bool {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB) != nil
}
