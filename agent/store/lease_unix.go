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
