package git

import (
	"io/fs"
	"syscall"
)

// statOf returns what the index would remember of a file.
func statOf(info fs.FileInfo) (stat, bool) {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return stat{}, false
	}
	return stat{ctime: s.Ctim.Nano(), mtime: s.Mtim.Nano(), inode: s.Ino, size: uint64(s.Size)}, true
}
