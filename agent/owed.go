package agent

import (
	"context"
	"fmt"

	"redline/agent/backlog"
	"redline/agent/plan"
)

// oweOutcome keeps what came of an execution, which next has and the events have
// led to. The user's files are as it says: this must not be forgotten while the
// process lives. The caller has locked the plan.
func (b *Board) oweOutcome(h *heldPlan, x *execution, next *plan.Plan, events []plan.Event, err error) {
	was := h.plan().Progress
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
func (b *Board) payOutcome(ctx context.Context, key string, h *heldPlan, x *execution, was *plan.Progress) error {
	defer b.lock(h)()
	b.mu.Lock()
	waiting := h.execution == x && x.waiting
	next := h.plan().Clone()
	b.mu.Unlock()
	state, updated := next.State, next.Updated
	next, err := b.storeOutcome(ctx, key, x, next, was, waiting, func(p *plan.Plan) error {
		p.State, p.Updated = state, updated
		return nil
	})
	if err != nil {
		return b.kept(next.Number, err)
	}
	b.swap(h, next)
	return nil
}

// oweRevision keeps the revision that a turn has made. A plan that it revises
// goes on being drafted until then.
func (ts *Turns) oweRevision(t *turn, revised *heldPlan, store func(context.Context) (*heldPlan, error), err error) {
	defer ts.board.lock(revised)()
	number := 0
	if revised != nil {
		number, revised.owed = revised.number, true
	}
	ts.oweStaged(number, func(ctx context.Context) error {
		h, err := ts.storeOwed(ctx, revised, store)
		if err != nil {
			return err
		}
		ts.madePlan(t, h)
		ts.board.announce(h, t.ID)
		return nil
	}, err)
}

// storeOwed stores a revision from the backlog. Unless the store may take it later, the plan
// that it revises leaves the state drafting.
func (ts *Turns) storeOwed(ctx context.Context, revised *heldPlan, store func(context.Context) (*heldPlan, error)) (*heldPlan, error) {
	defer ts.board.lock(revised)()
	h, err := store(ctx)
	if err != nil && backlog.MayPass(err) {
		return nil, err
	}
	if revised != nil {
		revised.owed = false
		ts.undraft(revised)
	}
	return h, err
}

// oweStaged keeps what a turn has staged, which pay stores. n is the plan that it
// revises, 0 for none.
func (ts *Turns) oweStaged(n int, pay func(context.Context) error, err error) {
	what := "The plan"
	if n != 0 {
		what = fmt.Sprintf("A revision of plan %d", n)
	}
	ts.backlog.Add(backlog.Record{Plan: n, Stored: "The plan is kept now, and waits for you.", Store: pay},
		what+" is ready, but it cannot be kept yet, because the plan database cannot be written.", err)
}
