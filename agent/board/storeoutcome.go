package board

import (
	"context"
	"errors"
	"fmt"

	"redline/agent/backlog"
	"redline/agent/plan"
	"redline/agent/store"
)

// conclude moves the plan to the state that its parts call for and stores it, or
// has it stored later: what is in the user's files is so whatever the store says.
// The store is told also when the session is ending: what the text shows must
// not be forgotten. The caller has locked the plan, and has made next of the plan that
// h has.
func (b *Board) conclude(h *Held, x *Execution, next *plan.Plan) error {
	b.tellUnsaved(false) // before others can see that something is applied
	was := &h.Plan().Progress
	goesOn := b.goesOn(h)
	var events []plan.Event
	next, err := b.storeOutcome(context.WithoutCancel(b.root), b.workspaceKey(), x, next, was, x.waiting, func(p *plan.Plan) (err error) {
		if events = nil; !x.waiting {
			events, err = x.end(p, h.Revision(), goesOn)
		}
		p.Updated = b.now().UTC()
		return err
	})
	switch {
	case backlog.MayPass(err):
		x.noted = true
		b.oweOutcome(h, x, next, events, err)
		return nil
	case err != nil:
		return b.StoreError(next.Number, err)
	}
	x.noted = true
	b.backlog.Drop(x.id)
	b.swap(h, next, events...)
	return nil
}

// storeOutcome stores what came of an execution, which next has, and returns the
// plan as it is stored; end moves it on to the state that its parts call for.
// Where this session has the lease of the execution, what another process has
// stored of the plan meanwhile, such as a rating or the rejection of other parts,
// does not concern it: what next has changed of was goes onto that. Else another
// has found out first what came of it, and the error is the store's ErrChanged.
func (b *Board) storeOutcome(ctx context.Context, key string, x *Execution, next *plan.Plan, was *plan.Progress, waiting bool, end func(*plan.Plan) error) (*plan.Plan, error) {
	mine := next.Progress
	for tries := 0; ; tries++ {
		if err := end(next); err != nil {
			return next, err
		}
		err := b.store.Finish(ctx, key, next, x.id, waiting)
		if !errors.Is(err, store.ErrChanged) || x.foreign() || tries == 5 {
			return next, err
		}
		stored, readErr := b.store.Plan(ctx, key, next.Number)
		if readErr != nil {
			return next, readErr
		}
		if stored.Current != next.Current {
			return next, err
		}
		stored.Progress = mine.Onto(&stored.Progress, was)
		next = stored
	}
}

// oweOutcome keeps what came of an execution, which next has and the events have
// led to. The user's files are as it says: this must not be forgotten while the
// process lives. The caller has locked the plan.
func (b *Board) oweOutcome(h *Held, x *Execution, next *plan.Plan, events []plan.Event, err error) {
	was := h.Plan().Progress
	b.swap(h, next, events...)
	if b.backlog.Has(next.Number) {
		return // the newest value will be stored
	}
	key := b.workspaceKey()
	b.backlog.Add(backlog.Record{
		Plan: next.Number, Execution: x.id, Stored: fmt.Sprintf("What was done with plan %d is kept now.", next.Number),
		Store: func(ctx context.Context) error { return b.payOutcome(ctx, key, h, x, &was) },
	}, fmt.Sprintf("What was done with plan %d cannot be kept yet, because the plan database cannot be written.", next.Number), err)
}

// payOutcome stores what came of an execution; was is the progress of the plan
// before it.
func (b *Board) payOutcome(ctx context.Context, key string, h *Held, x *Execution, was *plan.Progress) error {
	defer b.lockPlan(h)()
	t := b.lock()
	waiting := t.of(h).execution == x && x.waiting
	next := h.Plan().Clone()
	t.unlock()
	state, updated := next.State, next.Updated
	next, err := b.storeOutcome(ctx, key, x, next, was, waiting, func(p *plan.Plan) error {
		p.State, p.Updated = state, updated
		return nil
	})
	if err != nil {
		return b.StoreError(next.Number, err)
	}
	b.swap(h, next)
	return nil
}
