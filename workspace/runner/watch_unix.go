//go:build unix

package runner

import (
	"sync/atomic"
	"syscall"
	"time"

	"redline/workspace/world"
)

// watched is what a helper has found the command to use too much of.
type watched struct{ disk, memory atomic.Bool }

// watch kills all other processes in the world as soon as more is written than allowed,
// since the kernel does not limit that in worlds of bwrap, or as soon as they hold more
// memory than allowed, unless a cgroup limits that.
func watch(w *world.World, bounded bool) *watched {
	found := &watched{}
	if w == nil {
		return found
	}
	every := func(least time.Duration, look func() bool, over *atomic.Bool) {
		for {
			began := time.Now()
			if look() {
				over.Store(true)
				_ = syscall.Kill(-1, syscall.SIGKILL) // in this PID namespace
			}
			time.Sleep(max(least, 10*time.Since(began)))
		}
	}
	if w.Kind == world.Bwrap {
		go every(watchingDisk, func() bool { return world.Full(*w) }, &found.disk)
	}
	if w.Memory > 0 && !bounded {
		go every(watchingMemory, world.WatchMemory(w.Memory).Over, &found.memory)
	}
	return found
}

// The intervals between two looks of watch.
const (
	watchingDisk   = 5 * time.Millisecond
	watchingMemory = 50 * time.Millisecond
)
