// Package tasks counts running functions, so that an owner can wait for the end of all that
// it has started.
package tasks

import (
	"context"
	"sync"
	"time"
)

// Group counts running functions. The zero value is ready to use, and all methods may be
// called from any goroutine. Unlike a [sync.WaitGroup] it lets functions begin while
// another goroutine waits: a function that is ending may still start one to wait for.
type Group struct {
	mu   sync.Mutex
	n    int
	idle chan struct{} // closed when n is 0; nil until a goroutine waits
}

// Go runs f on a goroutine of its own.
func (g *Group) Go(f func()) {
	done := g.Begin()
	go func() {
		defer done()
		f()
	}()
}

// Begin counts the caller's own work until it calls done, once.
func (g *Group) Begin() (done func()) {
	g.mu.Lock()
	g.n++
	g.mu.Unlock()
	return g.end
}

func (g *Group) end() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.n--
	if g.n == 0 && g.idle != nil {
		close(g.idle)
		g.idle = nil
	}
}

// Wait blocks until nothing runs, but not longer than atMost. It returns false if something
// still runs.
func (g *Group) Wait(atMost time.Duration) bool {
	idle := g.Idle()
	timer := time.NewTimer(atMost)
	defer timer.Stop()
	select {
	case <-idle:
		return true
	case <-timer.C:
	}
	select {
	case <-idle: // if both are ready
		return true
	default:
		return false
	}
}

// Idle returns a channel that is closed once nothing runs. It does not cover what begins
// after that: ask again.
func (g *Group) Idle() <-chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.idle != nil {
		return g.idle
	}
	idle := make(chan struct{})
	if g.n == 0 {
		close(idle)
		return idle
	}
	g.idle = idle
	return idle
}

// Signal wakes a goroutine that waits for something to do.
type Signal chan struct{}

// NewSignal returns a signal that is not set.
func NewSignal() Signal { return make(Signal, 1) }

// Set ends the next Wait, or the one that blocks now. It never blocks.
func (s Signal) Set() {
	select {
	case s <- struct{}{}:
	default:
	}
}

// Wait blocks until the signal is set, and clears it. It returns false if ctx is done
// before that.
func (s Signal) Wait(ctx context.Context) bool {
	select {
	case <-ctx.Done():
		return false
	case <-s:
		return true
	}
}

// Pause blocks for a time, or until ctx is done.
func Pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
