package board

import (
	"context"
	"errors"

	"redline/agent/decision"
	"redline/agent/plan"
	"redline/agent/store"
)

// Begin stores a decision with the intent to carry it out, before anything is sent to the
// editor, and returns its execution. next is the plan meanwhile, to which the events have led.
// End the execution with [Board.Ended].
func (tx *Tx) Begin(ctx context.Context, i Intent, next *plan.Plan, d *plan.Decision, events ...plan.Event) (*Execution, error) {
	b, h := tx.b, tx.Held
	paths := make([]string, len(i.Parts))
	for k, p := range i.Parts {
		paths[k] = p.File.Change.Path
		if !p.File.Outside {
			next.Progress.MarkSent(next.Current, paths[k], p.Sent(i.Verdict))
		}
	}
	x := &Execution{intent: i, begun: b.now(), done: make(chan struct{})}
	next.Updated = x.begun.UTC()
	var err error
	x.id, err = b.store.Begin(ctx, b.session.Key(), next, d, paths)
	if errors.Is(err, store.ErrNotAsShown) {
		tx.Reread(ctx)
		return nil, decision.NotAsShown(h.Number())
	}
	if err != nil {
		return nil, b.StoreError(h.Number(), err)
	}
	b.with(h, func(t *table, e *entry) { e.execution, e.looked, x.tally = x, true, t.newTally(e, x) })
	tx.swap(next, events...)
	return x, nil
}

// Conclude stores the results of the parts of an execution, which next has, and moves the plan
// on. With waiting the editor has not answered for a file: its text will settle that.
func (tx *Tx) Conclude(x *Execution, next *plan.Plan, waiting bool) error {
	tx.b.with(tx.Held, func(*table, *entry) { x.waiting = waiting })
	return tx.conclude(x, next)
}
