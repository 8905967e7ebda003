package workspace

import (
	"io/fs"
	"syscall"
)

// changeTime is when a file or what is known about it was changed, in
// nanoseconds: nobody can set that. It is 0 where the system does not tell.
func changeTime(info fs.FileInfo) int64 {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0
	}
	return s.Ctim.Nano()
}
