package agent

import (
	"context"

	"redline/agent/plan"
	"redline/agent/refusal"
)

// notAsShown is the refusal of a decision on something else than what is there.
func notAsShown(n int) error {
	return refusal.New(refusal.HashMismatch, "Plan %d has changed since it was shown: review it again.", n)
}

// textsAsShown refuses an execution if a text that it is worked out from is not
// the one that the revision names. The store looks at its own; these are the
// session's. The caller has locked the plan.
func (h *heldPlan) textsAsShown(x *execution) error {
	is := func(c *plan.Change, base, proposed string) bool {
		return plan.BlobOf(base) == c.Base && plan.BlobOf(proposed) == c.Proposed
	}
	for _, p := range x.parts {
		if !p.file.outside && !is(p.file.Change, p.file.Base, p.file.Proposed) {
			return notAsShown(h.plan().Number)
		}
		for _, past := range p.past {
			if !is(past.change, past.base, past.proposed) {
				return notAsShown(h.plan().Number)
			}
		}
	}
	return nil
}

// readAgain makes the session's what the store has of a plan that was found to
// be other than it was shown, so that it is that which is reviewed again. The
// caller has locked the plan.
func (ds *Decisions) readAgain(ctx context.Context, n int) {
	p, err := ds.store.Plan(ctx, ds.workspaceKey(), n)
	if err == nil {
		_, err = ds.board.hold(ctx, p)
	}
	if err != nil {
		ds.board.behind.Store(true)
		ds.log.Error("a plan that was changed could not be read again", planField(n), errorField(err))
	}
}
