//go:build amd64 || arm64

package runner

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// hidden returns the size of the files on the folder's file system that processes of the command's world hold
// open and that have no name any more. sure is false if there may be others of which nothing is known.
func (u uppers) hidden() (bytes int64, sure bool) {
	var disk unix.Statfs_t
	helper := filepath.Join("/proc", strconv.Itoa(u.helper)) // which opens none of the command's files
	world, err := os.Readlink(helper + "/ns/pid")
	if ended(err) { // and with it the world
		return 0, true
	}
	own, err2 := os.Readlink("/proc/self/ns/pid")
	if err != nil || err2 != nil || world == own || unix.Statfs(u.dir, &disk) != nil {
		return 0, false
	}
	processes, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		return 0, false
	}
	known := map[[2]uint64]bool{}
	for _, process := range processes {
		if in, err := os.Readlink(process + "/ns/pid"); err != nil || in != world || process == helper {
			continue
		}
		files, err := os.ReadDir(process + "/fd")
		if err != nil && !ended(err) || mapsUnnamed(process) {
			return bytes, false
		}
		for _, f := range files {
			name := filepath.Join(process, "fd", f.Name())
			var is unix.Stat_t
			var on unix.Statfs_t
			switch {
			case unix.Stat(name, &is) != nil || is.Mode&unix.S_IFMT != unix.S_IFREG || is.Nlink > 0:
			case unix.Statfs(name, &on) != nil || on.Blocks != disk.Blocks || on.Bsize != disk.Bsize: // in memory, for example
			case !known[[2]uint64{is.Dev, is.Ino}]:
				known[[2]uint64{is.Dev, is.Ino}] = true
				bytes += is.Blocks*512 + perFile
			}
		}
	}
	return bytes, true
}

// ended reports whether an error of reading about a process says that it has ended.
func ended(err error) bool { return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESRCH) }

// mapsUnnamed reports whether a process has mapped a file that has no name any more, which it may have closed.
func mapsUnnamed(process string) bool {
	maps, err := os.ReadFile(process + "/maps")
	if err != nil {
		return !ended(err)
	}
	for line := range strings.Lines(string(maps)) {
		fields := strings.Fields(line)
		const named = 5 // address, permissions, offset, device, inode
		if len(fields) > named && fields[len(fields)-1] == "(deleted)" && !strings.HasPrefix(fields[named], "/memfd:") && !strings.HasPrefix(fields[named], "/dev/zero") && !strings.HasPrefix(fields[named], "/SYSV") {
			return true
		}
	}
	return false
}
