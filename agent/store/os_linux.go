package store

import (
	"bytes"
	"io/fs"
	"os"
	"strconv"
	"syscall"
)

// changeOf returns when a file was changed, in nanoseconds, and its number. No program can set that
// time. It is 0 if the system does not say.
func changeOf(info fs.FileInfo) (changed int64, inode uint64) {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, 0
	}
	return s.Ctim.Nano(), s.Ino
}

// exists reports whether there is a process with an id that has not ended, as far as this one can
// see. One that has ended stays in the list of processes until its parent asks for its result.
func exists(pid int) bool {
	if syscall.Kill(pid, 0) == syscall.ESRCH {
		return false
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat") // "pid (name) state …"; a name may contain anything
	if err != nil {
		return true
	}
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	return len(fields) == 0 || fields[0][0] != 'Z' && fields[0][0] != 'X'
}
