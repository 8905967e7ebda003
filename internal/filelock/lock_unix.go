//go:build unix

package filelock

import (
	"bytes"
	"os"
	"strconv"
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

// Ended reports whether there is no process with an id, as far as this one can see, or one that has
// ended and stays in the list of processes until its parent asks for its result.
func Ended(pid int) bool {
	if syscall.Kill(pid, 0) == syscall.ESRCH {
		return true
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat") // "pid (name) state …"; a name may contain anything
	if err != nil {
		return false // not every system has it
	}
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	return len(fields) > 0 && (fields[0][0] == 'Z' || fields[0][0] == 'X')
}
