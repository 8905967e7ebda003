package board

import (
	"context"
	"errors"

	"redline/agent/plan"
	"redline/agent/store"
)

// AddTrial stores a trial of a plan, which may be worked on meanwhile, and announces it. It returns
// the trial with its id.
func (b *Board) AddTrial(ctx context.Context, h *Held, t plan.Trial) (plan.Trial, error) {
	added, err := b.addTrial(ctx, h, t)
	if err == nil {
		b.Announce(h, "")
	}
	return added, err
}

func (b *Board) addTrial(ctx context.Context, h *Held, t plan.Trial) (plan.Trial, error) {
	tx := b.Lock(h)
	defer tx.Unlock()
	for again := false; ; again = true {
		next := h.Plan().Clone()
		added := next.AddTrial(t)
		err := b.store.SaveTrials(ctx, b.session.Key(), next)
		if err == nil {
			tx.swap(next)
			return added, nil
		}
		if again || !errors.Is(err, store.ErrChanged) || tx.Executing() || next.State == plan.Drafting {
			return t, b.StoreError(next.Number, err)
		}
		tx.Reread(ctx)
	}
}
