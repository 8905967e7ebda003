package board

import (
	"context"
	"errors"
	"fmt"

	"redline/agent/backlog"
	"redline/agent/plan"
	"redline/agent/store"
)

// conclude moves the plan to the state that its parts call for and stores it. If the store cannot
// be written it is stored later: the files are changed, whatever the store says. It stores also
// when the session is ending. next was made from the value that the plan has.
func (tx *Tx) conclude(x *Execution, next *plan.Plan) error {
	b, h := tx.b, tx.Held
	b.presence.Publish(false) // before others can see that something is applied
	was := &h.Plan().Progress
	staging := tx.Staging()
	var events []plan.Event
	next, err := tx.storeOutcome(context.WithoutCancel(b.root), b.session.Key(), x, next, was, x.waiting, func(p *plan.Plan) (err error) {
		if events = nil; !x.waiting {
			events, err = x.intent.end(p, h.Revision(), staging)
		}
		p.Updated = b.now().UTC()
		return err
	})
	switch {
	case backlog.MayPass(err):
		x.noted = true
		tx.storeOutcomeLater(x, next, events, err)
		return nil
	case err != nil:
		return b.StoreError(next.Number, err)
	}
	x.noted = true
	b.backlog.Drop(x.id)
	tx.swap(next, events...)
	return nil
}

// storeOutcome stores the result of an execution, which next has, and returns the plan as it is
// stored; end moves it on to the state that its parts call for. If this session has the lease of
// the execution, it puts what next has changed of was onto whatever another process has stored of
// the plan meanwhile, such as a rating or the rejection of other parts. Else another process has
// stored the result first, and the error is the store's ErrChanged.
func (tx *Tx) storeOutcome(ctx context.Context, key string, x *Execution, next *plan.Plan, was *plan.Progress, waiting bool, end func(*plan.Plan) error) (*plan.Plan, error) {
	from, mine := tx.b.store, next.Progress
	for tries := 0; ; tries++ {
		if err := end(next); err != nil {
			return next, err
		}
		err := from.Finish(ctx, key, next, x.id, waiting)
		if !errors.Is(err, store.ErrChanged) || x.foreign() || tries == 5 {
			return next, err
		}
		stored, readErr := from.Plan(ctx, key, next.Number)
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

// storeOutcomeLater keeps the result of an execution, which next has and to which the events led, until
// it can be stored. The user's files are as it says, so the process must not forget it.
func (tx *Tx) storeOutcomeLater(x *Execution, next *plan.Plan, events []plan.Event, err error) {
	b, h, was := tx.b, tx.Held, tx.Held.Plan().Progress
	tx.swap(next, events...)
	if b.backlog.Has(next.Number) {
		return // the newest value will be stored
	}
	key := b.session.Key()
	b.backlog.Add(backlog.Record{
		Plan: next.Number, Execution: x.id, Stored: fmt.Sprintf("What was done with plan %d is kept now.", next.Number),
		Store: func(ctx context.Context) error { return b.storeLateOutcome(ctx, key, h, x, &was) },
	}, fmt.Sprintf("What was done with plan %d cannot be kept yet, because the plan database cannot be written.", next.Number), err)
}

// storeLateOutcome stores the result of an execution that could not be stored before; was is the
// progress of the plan before it.
func (b *Board) storeLateOutcome(ctx context.Context, key string, h *Held, x *Execution, was *plan.Progress) error {
	tx := b.Lock(h)
	defer tx.Unlock()
	waiting := b.peek(h).execution == x && x.waiting
	next := h.Plan().Clone()
	state, updated := next.State, next.Updated
	next, err := tx.storeOutcome(ctx, key, x, next, was, waiting, func(p *plan.Plan) error {
		p.State, p.Updated = state, updated
		return nil
	})
	if err != nil {
		return b.StoreError(next.Number, err)
	}
	tx.swap(next)
	return nil
}
