//go:build unix

package runner

import (
	"runtime"
	"sync"
)

// haveThreads starts all threads that this process, a helper, can need while its command
// runs. A command that forks without end uses up all process ids. If the Go runtime then
// needed a new thread it would exit, and the result would be lost.
func haveThreads() {
	const parallel, waiting = 2, 8 // more goroutines than this process ever has
	runtime.GOMAXPROCS(parallel)
	var running, ended sync.WaitGroup
	running.Add(parallel + waiting)
	for range parallel + waiting {
		ended.Go(func() {
			runtime.LockOSThread() // so that each goroutine gets its own thread
			defer runtime.UnlockOSThread()
			running.Done()
			running.Wait()
		})
	}
	ended.Wait() // the runtime keeps the threads
}
