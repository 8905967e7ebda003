package workspace

import (
	"io/fs"
	"syscall"
)

// changeTime returns when a file or its attributes changed, in nanoseconds. No program can
// set that time. It is 0 if the system does not report it.
func changeTime(info fs.FileInfo) int64 {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0
	}
	return s.Ctimespec.Nano()
}
