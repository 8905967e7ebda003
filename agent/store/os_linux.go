package store

import (
	"io/fs"
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
