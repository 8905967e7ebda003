//go:build amd64 || arm64

package world

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// Limit limits the resources of process pid and of everything that it starts later.
func Limit(pid int, w World) error {
	limits := map[int]uint64{unix.RLIMIT_CORE: 0}
	for limit, max := range map[int]int64{unix.RLIMIT_NPROC: int64(w.Processes), unix.RLIMIT_FSIZE: w.Disk, unix.RLIMIT_DATA: w.Memory} {
		if max > 0 {
			limits[limit] = uint64(max)
		}
	}
	for limit, max := range limits {
		if err := unix.Prlimit(pid, limit, &unix.Rlimit{Cur: max, Max: max}, nil); err != nil {
			return fmt.Errorf("what it uses cannot be limited: %w", err)
		}
	}
	return nil
}
