//go:build unix

package leftover

import (
	"io/fs"
	"os"
	"syscall"
)

// isMine reports whether a file belongs to this user. For root it is always true, because
// root gives the files that it writes to their owners.
func isMine(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && (int(stat.Uid) == os.Geteuid() || os.Geteuid() == 0)
}
