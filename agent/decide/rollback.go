package decide

import (
	"cmp"
	"context"
	"fmt"

	"redline/agent/board"
	"redline/agent/plan"
	"redline/agent/refusal"
	"redline/agent/state"
)

// Rollback adds a revision to a plan with the content of an earlier one: its hunks, and the
// decisions on them. No file changes: what is applied stays applied until it is undone.
func (ds *Decisions) Rollback(ctx context.Context, n, revision int) (state.Plan, error) {
	return ds.RollbackWithGoal(ctx, n, revision, "")
}

// RollbackWithGoal is Rollback that also replaces the plan's goal, unless goal is "".
func (ds *Decisions) RollbackWithGoal(ctx context.Context, n, revision int, goal string) (state.Plan, error) {
	return ds.announced(ds.reviseByUser(ctx, n, func(_ context.Context, _ *board.Held, next *plan.Plan) (ownRevision, error) {
		if revision == next.Current {
			return ownRevision{}, refusal.New(refusal.Invalid, "Plan %d is at revision %d already.", n, revision)
		}
		old, ok := next.Revision(revision)
		if !ok {
			return ownRevision{}, refusal.New(refusal.Invalid, "Plan %d has no revision %d: it has %d.", n, revision, len(next.Revisions))
		}
		next.Goal = cmp.Or(goal, next.Goal)
		r := *old
		r.Parent, r.Note, r.Tokens = revision, fmt.Sprintf("back to revision %d", revision), plan.Tokens{}
		return ownRevision{revision: r}, nil
	}))
}
