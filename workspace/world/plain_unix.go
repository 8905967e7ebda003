//go:build unix

package world

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// nonblock keeps an open from waiting for the other end of a FIFO.
const nonblock = syscall.O_NONBLOCK

// freeSpace returns how many bytes are free where a folder is.
func freeSpace(dir string) (int64, error) {
	var is unix.Statfs_t
	if err := unix.Statfs(dir, &is); err != nil {
		return 0, err
	}
	return int64(is.Bavail) * int64(is.Bsize), nil //nolint:unconvert // on some systems they have fewer bits
}
