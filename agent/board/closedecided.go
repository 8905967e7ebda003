package board

import (
	"context"

	"redline/agent/plan"
)

// CloseDecided closes a plan once all its parts are decided. A turn in stepwise mode keeps such a
// plan open until it ends, since it may stage more.
func (b *Board) CloseDecided(ctx context.Context, h *Held) error {
	tx := b.Lock(h)
	defer tx.Unlock()
	e := b.peek(h)
	r, next, busy := h.Revision(), h.Plan().Clone(), e.execution != nil || e.staging
	if s := next.State; busy || len(r.Operations) == 0 || s != plan.AwaitingApproval && s != plan.Reviewing || !next.Undecided(r).None() {
		return nil
	}
	event, _ := next.AfterReject(r)
	if err := next.Apply(event); err != nil {
		return err
	}
	next.Updated = b.now().UTC()
	return tx.Save(ctx, next, nil, event)
}
