package board

import (
	"context"

	"redline/agent/plan"
)

// AddTrial stores a trial of a plan, and announces it. It returns the trial with its id.
func (b *Board) AddTrial(ctx context.Context, h *Held, t plan.Trial) (plan.Trial, error) {
	tx := b.Lock(h)
	next := h.Plan().Clone()
	t = next.AddTrial(t)
	err := tx.Save(ctx, next, nil)
	tx.Unlock()
	if err != nil {
		return t, err
	}
	b.Announce(h, "")
	return t, nil
}
