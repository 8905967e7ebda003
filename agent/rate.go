package agent

import (
	"context"

	"redline/agent/plan"
	"redline/edits"
)

// Rate records what the user thinks of a plan, from 1 to 5. It can be said in
// any state, and again.
func (a *Agent) Rate(ctx context.Context, n, rating int, enc edits.Encoding) (PlanState, error) {
	if rating < 1 || rating > 5 {
		return PlanState{}, refuse(Invalid, "A rating is a number from 1 to 5, and %d is not.", rating)
	}
	h, err := a.board.find(ctx, n)
	if err != nil {
		return PlanState{}, err
	}
	if err := a.storeRating(ctx, h, rating); err != nil {
		return PlanState{}, err
	}
	a.board.announce(h, "")
	a.board.mu.Lock()
	defer a.board.mu.Unlock()
	return a.board.planState(h, enc), nil
}

// storeRating leaves the time of the plan's last change alone: a rating changes
// nothing of what was decided.
func (a *Agent) storeRating(ctx context.Context, h *heldPlan, rating int) error {
	defer a.board.lock(h)()
	a.board.mu.Lock()
	busy := h.execution != nil || h.plan.State == plan.Drafting
	next := h.plan.Clone()
	a.board.mu.Unlock()
	if busy {
		return refuse(Busy, "Plan %d is being worked on: rate it once that is done.", next.Number)
	}
	next.Rating = rating
	if err := a.store.Save(ctx, a.workspaceKey(), next, nil); err != nil {
		return a.board.kept(next.Number, err)
	}
	a.board.swap(h, next)
	return nil
}
