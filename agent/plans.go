package agent

import (
	"context"
	"time"

	"redline/edits"
)

// Snapshot is [Board.Snapshot].
func (a *Agent) Snapshot() *Snapshot { return a.board.Snapshot() }

// PlanState is [Board.PlanState].
func (a *Agent) PlanState(ctx context.Context, n int, enc edits.Encoding) (PlanState, error) {
	return a.board.PlanState(ctx, n, enc)
}

// OpenPlan is [Board.OpenPlan].
func (a *Agent) OpenPlan(ctx context.Context, n int) (string, error) { return a.board.OpenPlan(ctx, n) }

// Diff is [Board.Diff].
func (a *Agent) Diff(ctx context.Context, n int) (string, error) { return a.board.Diff(ctx, n) }

// Shown is [Board.Shown].
func (a *Agent) Shown(n, revision int, hash, client string) {
	a.board.Shown(n, revision, hash, client)
}

// OnDisk is [Board.OnDisk].
func (a *Agent) OnDisk(paths []string) { a.board.OnDisk(paths) }

// Answered is [Board.Answered].
func (a *Agent) Answered(path string) { a.board.Answered(path) }

// Watch is [Board.Watch].
func (a *Agent) Watch(ctx context.Context, every time.Duration) { a.board.Watch(ctx, every) }

// Recover is [Board.Recover].
func (a *Agent) Recover(ctx context.Context) error { return a.board.Recover(ctx) }

// Leave is [Board.Leave].
func (a *Agent) Leave(ctx context.Context) error { return a.board.Leave(ctx) }
