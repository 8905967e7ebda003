package agent

import (
	"cmp"
	"context"
	"fmt"

	"redline/agent/plan"
	"redline/edits"
)

// Rollback makes a further revision of a plan with the content of an earlier
// one, whose hunks and what was decided about them are those of then. Nothing in
// the workspace changes: what is applied stays applied until it is undone.
func (a *Agent) Rollback(ctx context.Context, n, revision int, enc edits.Encoding) (PlanState, error) {
	return a.rollback(ctx, n, revision, "", enc)
}

// rollback is Rollback; a goal takes the place of the plan's.
func (a *Agent) rollback(ctx context.Context, n, revision int, goal string, enc edits.Encoding) (PlanState, error) {
	h, err := a.reviseByUser(ctx, n, func(_ context.Context, _ *heldPlan, next *plan.Plan) (ownRevision, error) {
		if revision == next.Current {
			return ownRevision{}, refuse(Invalid, "Plan %d is at revision %d already.", n, revision)
		}
		old, ok := next.Revision(revision)
		if !ok {
			return ownRevision{}, refuse(Invalid, "Plan %d has no revision %d: it has %d.", n, revision, len(next.Revisions))
		}
		next.Goal = cmp.Or(goal, next.Goal)
		r := *old
		r.Parent, r.Note, r.Tokens = revision, fmt.Sprintf("back to revision %d", revision), plan.Tokens{}
		return ownRevision{revision: r}, nil
	})
	if err != nil {
		return PlanState{}, err
	}
	a.board.mu.Lock()
	defer a.board.mu.Unlock()
	return a.board.planState(h, enc), nil
}
