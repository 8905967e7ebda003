package agent

import (
	"context"
	"time"
)

// LookOnDisk is one look of [Agent.Watch] at what has happened on disk.
func (a *Agent) LookOnDisk(ctx context.Context) { a.board.LookOnDisk(ctx, false) }

// PastLeft reports whether something that earlier revisions of a plan have applied
// is still to be looked at.
func (a *Agent) PastLeft(n int) bool {
	return a.board.EarlierLeft(a.board.Held(n))
}

// ClassifyWithin bounds how long a model may take to classify a message.
func (a *Agent) ClassifyWithin(d time.Duration) { a.turns.ClassifyWithin(d) }

// Unlocked reports whether the lock that typing waits for is free within a time. It is not
// if the caller holds it.
func (a *Agent) Unlocked(within time.Duration) bool {
	free := make(chan struct{})
	go func() {
		a.board.Held(0)
		close(free)
	}()
	select {
	case <-free:
		return true
	case <-time.After(within):
		return false
	}
}
