package agent

import (
	"context"
	"time"
)

// LookOnDisk is one look of [Agent.Watch] at the changes on disk.
func (a *Agent) LookOnDisk(ctx context.Context) { a.Board.LookOnDisk(ctx, false) }

// PastLeft reports whether hunks that earlier revisions of a plan have applied are still to be
// checked.
func (a *Agent) PastLeft(n int) bool {
	return a.Board.EarlierLeft(a.Board.Held(n))
}

// ClassifyWithin limits how long a model may take to classify a message.
func (a *Agent) ClassifyWithin(d time.Duration) { a.Turns.ClassifyWithin(d) }

// Unlocked reports whether the lock that typing waits for becomes free within a time. It does not
// if the caller holds it.
func (a *Agent) Unlocked(within time.Duration) bool {
	free := make(chan struct{})
	go func() {
		a.Board.Held(0)
		close(free)
	}()
	select {
	case <-free:
		return true
	case <-time.After(within):
		return false
	}
}
