package decide

import (
	"context"

	"redline/agent/board"
	"redline/agent/decision"
	"redline/agent/plan"
	"redline/agent/readahead"
	"redline/agent/refusal"
	"redline/agent/state"
	"redline/agent/view"
)

// find returns a plan, compared with the texts of its files.
func (ds *Decisions) find(ctx context.Context, n int) (*board.Held, error) {
	h, err := ds.board.Find(ctx, n)
	if err == nil {
		err = ds.board.Reconcile(ctx, h)
	}
	return h, err
}

// locked calls do with a plan that is locked.
func (ds *Decisions) locked(h *board.Held, do func(*board.Tx) error) error {
	tx := ds.board.Lock(h)
	defer tx.Unlock()
	return do(tx)
}

// ready refuses a decision on a plan to which e cannot happen now, or that has changed since it
// was shown.
func ready(tx *board.Tx, e plan.Event, d decision.Request) error {
	if err := tx.Ready(e); err != nil {
		return err
	}
	return d.Binds(tx.Held.Now())
}

// look returns the view of a plan that is [ready], with what was read for it.
func look(tx *board.Tx, e plan.Event, d decision.Request) (*view.Plan, *readahead.Files, error) {
	if err := ready(tx, e, d); err != nil {
		return nil, nil, err
	}
	v, l := tx.Look()
	return v, l, nil
}

// apply moves a plan on by the events.
func apply(p *plan.Plan, events ...plan.Event) error {
	for _, e := range events {
		if err := p.Apply(e); err != nil {
			return refusal.New(refusal.WrongState, "Plan %d: %s", p.Number, err)
		}
	}
	return nil
}

// announced announces a plan that was changed and returns its state, or only err.
func (ds *Decisions) announced(h *board.Held, err error) (state.Plan, error) {
	if err != nil {
		return state.Plan{}, err
	}
	ds.board.Announce(h, "")
	return ds.board.StateOf(h), nil
}
