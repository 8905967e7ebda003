package board

import (
	"context"

	"redline/agent/plan"
)

// goesOn reports whether a turn may still add operations to the plan.
func (b *Board) goesOn(h *Held) bool {
	t := b.lock()
	defer t.unlock()
	return t.of(h).staging
}

// CloseDecided closes a plan of which nothing is left to decide, as after a turn that
// could have staged more.
func (b *Board) CloseDecided(ctx context.Context, h *Held) error {
	defer b.lockPlan(h)()
	t := b.lock()
	r, next, busy := h.Revision(), h.Plan().Clone(), t.of(h).execution != nil || t.of(h).staging
	t.unlock()
	if s := next.State; busy || len(r.Operations) == 0 || s != plan.AwaitingApproval && s != plan.Reviewing || !next.Undecided(r).None() {
		return nil
	}
	event, _ := next.AfterReject(r)
	if err := next.Apply(event); err != nil {
		return err
	}
	next.Updated = b.now().UTC()
	if err := b.store.Save(ctx, b.workspaceKey(), next, nil); err != nil {
		return b.StoreError(next.Number, err)
	}
	b.swap(h, next, event)
	return nil
}
