package decidetest

import (
	"runtime/debug"
	"sync"
	"testing"
	"time"

	"redline/agent/board"
)

// gate makes readers of the disk wait.
type gate struct {
	mu      sync.Mutex
	release chan struct{} // closed when they may continue; nil: nobody waits
	reached chan struct{} // holds one value if a reader waits
}

// wait returns when the gate is open.
func (g *gate) wait() {
	g.mu.Lock()
	release, reached := g.release, g.reached
	g.mu.Unlock()
	if release == nil {
		return
	}
	select {
	case reached <- struct{}{}:
	default:
	}
	<-release
}

// HoldDisk makes all readers of the disk wait until release is called. reached receives a value
// when the first one waits.
func (s *Base) HoldDisk() (reached <-chan struct{}, release func()) {
	g := &s.gate
	g.mu.Lock()
	defer g.mu.Unlock()
	wait := make(chan struct{})
	g.release, g.reached = wait, make(chan struct{}, 1)
	return g.reached, sync.OnceFunc(func() {
		s.PassDisk()
		close(wait)
	})
}

// PassDisk lets new readers of the disk through from now on. Those who wait already keep
// waiting.
func (s *Base) PassDisk() {
	s.gate.mu.Lock()
	defer s.gate.mu.Unlock()
	s.gate.release = nil
}

// checkLock fails the test if the lock that typing needs is held.
func checkLock(t *testing.T, b *board.Board) {
	free := make(chan struct{})
	go func() {
		b.Held(0)
		close(free)
	}()
	select {
	case <-free:
	case <-time.After(20 * time.Second):
		t.Errorf("the disk is read by somebody who holds the lock of the board:\n%s", debug.Stack())
	}
}
