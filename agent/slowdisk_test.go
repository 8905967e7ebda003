package agent_test

import (
	"runtime/debug"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"redline/agent"
)

// slowDisk is the disk under a session's workspace. It can be made slow, and fails the test
// if anybody looks at it who holds the lock that typing waits for.
type slowDisk struct {
	t     *testing.T
	agent atomic.Pointer[agent.Agent] // nil before it is there

	mu      sync.Mutex
	release chan struct{} // whoever looks at the disk waits for it; nil: nobody waits
	reached chan struct{} // has room for one: somebody waits
}

// access is called before anybody looks at the disk.
func (d *slowDisk) access() {
	if a := d.agent.Load(); a != nil && !a.Unlocked(20*time.Second) {
		d.t.Errorf("the disk is looked at by somebody who holds the lock:\n%s", debug.Stack())
	}
	d.mu.Lock()
	release, reached := d.release, d.reached
	d.mu.Unlock()
	if release == nil {
		return
	}
	select {
	case reached <- struct{}{}:
	default:
	}
	<-release
}

// hold has everybody who looks at the disk wait until release is called. reached gets a
// value when the first does.
func (d *slowDisk) hold() (reached <-chan struct{}, release func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	wait := make(chan struct{})
	d.release, d.reached = wait, make(chan struct{}, 1)
	return d.reached, sync.OnceFunc(func() {
		d.pass()
		close(wait)
	})
}

// pass has those who look at the disk from now on not wait. Those who wait go on waiting.
func (d *slowDisk) pass() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.release = nil
}
