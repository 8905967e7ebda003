package agent

import (
	"context"
	"time"

	"redline/agent/compare"
	"redline/agent/decide"
	"redline/agent/decision"
	"redline/agent/plan"
	"redline/agent/preview"
	"redline/agent/share"
	"redline/agent/state"
	"redline/agent/view"
	"redline/edits"
)

// Snapshot is [board.Board.Snapshot].
func (a *Agent) Snapshot() *view.Snapshot { return a.board.Snapshot() }

// PlanState is [board.Board.PlanState].
func (a *Agent) PlanState(ctx context.Context, n int) (state.Plan, error) {
	return a.board.PlanState(ctx, n)
}

// OpenPlan is [board.Board.OpenPlan].
func (a *Agent) OpenPlan(ctx context.Context, n int) (string, error) { return a.board.OpenPlan(ctx, n) }

// Diff is [board.Board.Diff].
func (a *Agent) Diff(ctx context.Context, n int) (string, error) { return a.board.Diff(ctx, n) }

// Shown is [board.Board.Shown].
func (a *Agent) Shown(n, revision int, hash, client string) {
	a.board.Shown(n, revision, hash, client)
}

// OnDisk is [board.Board.OnDisk].
func (a *Agent) OnDisk(paths []string) { a.board.OnDisk(paths) }

// Answered is [board.Board.Answered].
func (a *Agent) Answered(path string) { a.board.Answered(path) }

// Watch is [board.Board.Watch].
func (a *Agent) Watch(ctx context.Context, every time.Duration) { a.board.Watch(ctx, every) }

// Recover is [board.Board.Recover].
func (a *Agent) Recover(ctx context.Context) error { return a.board.Recover(ctx) }

// CatchUp is [board.Board.CatchUp].
func (a *Agent) CatchUp(ctx context.Context) error { return a.board.CatchUp(ctx) }

// Leave is [board.Board.Leave].
func (a *Agent) Leave(ctx context.Context) error { return a.board.Leave(ctx) }

// Approve is [decide.Decisions.Approve].
func (a *Agent) Approve(ctx context.Context, d decision.Request) (state.Result, error) {
	return a.decisions.Approve(ctx, d)
}

// Review is [decide.Decisions.Review].
func (a *Agent) Review(ctx context.Context, d decision.Request) (state.Result, error) {
	return a.decisions.Review(ctx, d)
}

// Reject is [decide.Decisions.Reject].
func (a *Agent) Reject(ctx context.Context, d decision.Request) (state.Plan, error) {
	return a.decisions.Reject(ctx, d)
}

// Undo is [decide.Decisions.Undo].
func (a *Agent) Undo(ctx context.Context, d decision.Request) (state.Result, error) {
	return a.decisions.Undo(ctx, d)
}

// Pending is [decide.Decisions.Pending].
func (a *Agent) Pending(ctx context.Context, n int) (changes []edits.Change, stale []string, err error) {
	return a.decisions.Pending(ctx, n)
}

// Rollback is [decide.Decisions.Rollback].
func (a *Agent) Rollback(ctx context.Context, n, revision int) (state.Plan, error) {
	return a.decisions.Rollback(ctx, n, revision)
}

// Stage is [decide.Decisions.Stage].
func (a *Agent) Stage(ctx context.Context, s decide.Staging) (state.Plan, error) {
	return a.decisions.Stage(ctx, s)
}

// Rate is [decide.Decisions.Rate].
func (a *Agent) Rate(ctx context.Context, n, rating int) (state.Plan, error) {
	return a.decisions.Rate(ctx, n, rating)
}

// CheckPreview is [decide.Decisions.CheckPreview].
func (a *Agent) CheckPreview(ctx context.Context, name, text string) ([]preview.Problem, error) {
	return a.decisions.CheckPreview(ctx, name, text)
}

// EditPreview is [decide.Decisions.EditPreview].
func (a *Agent) EditPreview(ctx context.Context, name, text string) (decide.PreviewRead, error) {
	return a.decisions.EditPreview(ctx, name, text)
}

// Compare returns what revision to of a plan proposes that revision from does not, see
// [compare.Revisions].
func (a *Agent) Compare(ctx context.Context, n, from, to int) (compare.Comparison, error) {
	h, err := a.board.Find(ctx, n)
	if err != nil {
		return compare.Comparison{Plan: n, From: from, To: to}, err
	}
	return compare.Revisions(h.Plan(), from, to, func(b plan.Blob) (string, error) { return a.session.Store.Text(ctx, b) })
}

// Export is [decide.Decisions.Export].
func (a *Agent) Export(ctx context.Context, n int) (*share.Document, error) {
	return a.decisions.Export(ctx, n)
}

// Import is [decide.Decisions.Import].
func (a *Agent) Import(ctx context.Context, name string, data []byte) (state.Plan, error) {
	return a.decisions.Import(ctx, name, data)
}
