package world

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// clone makes a file that shares the content of another one, as APFS can. ok is false if it cannot: then
// there is no file.
func clone(root *os.Root, path string, from *os.File, mode fs.FileMode) (to *os.File, ok bool) {
	dir, err := root.Open(filepath.Dir(path))
	if err != nil {
		return nil, false
	}
	defer dir.Close()
	if unix.Fclonefileat(int(from.Fd()), int(dir.Fd()), filepath.Base(path), unix.CLONE_NOFOLLOW|unix.CLONE_NOOWNERCOPY) != nil {
		return nil, false
	}
	if to, err = root.Open(path); err == nil {
		if err = root.Chmod(path, mode); err == nil {
			return to, true
		}
		to.Close()
	}
	_ = root.Remove(path)
	return nil, false
}

// changed returns when a file or its attributes changed, in nanoseconds.
func changed(info fs.FileInfo) int64 { return info.Sys().(*syscall.Stat_t).Ctimespec.Nano() }
