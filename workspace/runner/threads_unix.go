//go:build unix

package runner

import (
	"runtime"
	"sync"
)

// haveThreads starts all threads that this process, a helper, can need while its command runs. A
// command that forks without end leaves no process id for another, and without the thread that it
// wants the Go runtime ends the helper, and with it the result.
func haveThreads() {
	const parallel, waiting = 2, 8 // of this process's goroutines: more than it ever has
	runtime.GOMAXPROCS(parallel)
	var running, ended sync.WaitGroup
	running.Add(parallel + waiting)
	for range parallel + waiting {
		ended.Go(func() {
			runtime.LockOSThread() // so that each has one of its own
			defer runtime.UnlockOSThread()
			running.Done()
			running.Wait()
		})
	}
	ended.Wait() // the runtime keeps the threads
}
