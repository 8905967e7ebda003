//go:build unix

package store

import (
	"os"
	"syscall"
)

// tryLock locks a file for this open file alone, and tells whether it could.
func tryLock(f *os.File) bool {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}

// isLocked tells whether somebody has locked a file. Others may ask at the same
// time.
func isLocked(f *os.File) bool {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB) != nil
}
