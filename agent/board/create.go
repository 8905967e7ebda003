package board

import (
	"context"

	"redline/agent/plan"
)

// NewRevision is a plan with a further revision, made by a turn, that is to be stored.
type NewRevision struct {
	Plan     *plan.Plan           // with the revision as its current one
	Texts    map[plan.Blob]string // of the revision, as far as they are new
	Staging  bool                 // the turn may add more operations
	Answered []int64              // the questions in the store that the turn has answered
}

// Create stores a new plan with its first revision, and holds it. The error is the store's.
func (b *Board) Create(ctx context.Context, n NewRevision) (*Held, error) {
	store := func() error { return b.store.CreatePlan(ctx, b.session.Key(), n.Plan, n.Texts, n.Answered...) }
	return b.create(n.Plan, store, func(tx *Tx) (*Held, error) {
		return tx.holdNew(ctx, n, plan.Drafting, plan.PlanCreated)
	})
}

// Import stores a plan that was exported elsewhere, and holds it.
func (b *Board) Import(ctx context.Context, p *plan.Plan, texts map[plan.Blob]string) (*Held, error) {
	store := func() error { return b.store.ImportPlan(ctx, b.session.Key(), p, texts) }
	return b.create(p, store, func(tx *Tx) (*Held, error) { return tx.hold(ctx, p) })
}

// create stores a plan, which gives it its number, locks it and calls hold. catchUp does not find
// the plan in the store before that.
func (b *Board) create(p *plan.Plan, store func() error, hold func(*Tx) (*Held, error)) (*Held, error) {
	defer b.follower.pause()()
	p.Number, p.Progress.Folders = b.leastNumber(), namedFolders(b.ws.Folders())
	if err := store(); err != nil {
		return nil, err
	}
	tx := b.lockNumber(p.Number)
	defer tx.Unlock()
	return hold(tx)
}

// holdNew holds a plan whose new revision was stored. The events led to it from the state before.
func (tx *Tx) holdNew(ctx context.Context, n NewRevision, before plan.State, events ...plan.Event) (*Held, error) {
	h, err := tx.hold(ctx, n.Plan)
	if err != nil {
		tx.b.follower.missed() // it is stored
		return nil, err
	}
	tx.b.with(h, func(t *table, e *entry) {
		e.staging = n.Staging
		t.applyEffects(e, before, events...)
	})
	return h, nil
}
