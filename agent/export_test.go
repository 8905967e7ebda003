package agent

import (
	"context"
	"runtime"
	"time"
)

// RetainNow is one look of [Agent.Retain].
func (a *Agent) RetainNow(ctx context.Context) error { return a.retention.retainNow(ctx) }

// SeekGone looks for the files of a plan of the session that are gone.
func (a *Agent) SeekGone(ctx context.Context, n int) {
	a.board.mu.Lock()
	h := a.board.plans[n]
	a.board.mu.Unlock()
	a.board.seekGone(ctx, h)
}

// LookOnDisk is one look of [Agent.Watch] at what has happened on disk.
func (a *Agent) LookOnDisk(ctx context.Context) { a.board.lookOnDisk(ctx, false) }

// PastLeft tells whether something that earlier revisions of a plan have applied
// is still to be looked at.
func (a *Agent) PastLeft(n int) bool {
	a.board.mu.Lock()
	defer a.board.mu.Unlock()
	return a.board.plans[n].pastLeft
}

// ClassifyWithin bounds how long a model may take to classify a message.
func (a *Agent) ClassifyWithin(d time.Duration) { a.turns.classifyWithin = d }

// Unlocked reports whether the lock that typing waits for is free within a time. It is not
// if the caller holds it.
func (a *Agent) Unlocked(within time.Duration) bool {
	for until := time.Now().Add(within); time.Now().Before(until); runtime.Gosched() {
		if a.board.mu.TryLock() {
			a.board.mu.Unlock()
			return true
		}
	}
	return false
}
