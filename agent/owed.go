package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"redline/agent/plan"
	"redline/agent/store"
	"redline/internal/phrase"
)

// debt is a record that the store could not take when it was made: what came of
// an execution, or a turn's revision. It is in memory alone until then, and what
// is shown is as if it were stored.
type debt struct {
	plan      int   // 0 for a plan that has no number yet
	execution int64 // of its record; 0 for a revision
	pay       func(context.Context) error
	told      string // what is said when it is kept
}

// mayPass tells whether something that could not be stored may be later: the
// store's failure is one that goes by itself or that the user can end while the
// session goes on, or the plan is being carried out.
func mayPass(err error) bool {
	return errors.Is(err, store.ErrFull) || errors.Is(err, store.ErrLocked) || errors.Is(err, store.ErrUnwritable) || errors.Is(err, errUnderway)
}

// owe keeps a record until the store takes it, and says so. The caller holds
// a.deciding.
func (a *Agent) owe(d debt, what string, err error) {
	a.owed = append(a.owed, d)
	a.log.Warn("a record could not be stored yet", planField(d.plan), errorField(err))
	a.notify(Event{Kind: Noticed, Error: fmt.Sprintf("%s Redline tries again by itself; until then it is lost if Redline ends. (%s)", what, err)})
}

// Tell tells the user something about Redline itself.
func (a *Agent) Tell(text string) { a.notify(Event{Kind: Noticed, Text: text}) }

// Kept tells whether what was stored so far outlives the process.
func (a *Agent) Kept() bool { return a.store.Kept() }

// Keep stores what the store could not take before, and returns why that does
// not work, nil when nothing is left.
func (a *Agent) Keep(ctx context.Context) error {
	a.deciding.Lock()
	err := a.payUp(ctx)
	a.deciding.Unlock()
	if err != nil {
		return err
	}
	return a.keepAllSaid(ctx)
}

// payUp is Keep for who holds a.deciding. What cannot be stored any more,
// whatever the store does, is told and let go.
func (a *Agent) payUp(ctx context.Context) error {
	for len(a.owed) > 0 {
		d := a.owed[0]
		err := d.pay(ctx)
		if err != nil && (mayPass(err) || ctx.Err() != nil) {
			return err
		}
		a.owed = a.owed[1:]
		notice := Event{Kind: Noticed, Text: d.told}
		if err != nil {
			notice = Event{Kind: Noticed, Error: "What could not be kept before cannot be kept at all: " + phrase.SentenceOf(err)}
		}
		a.notify(notice)
	}
	return nil
}

// oweOutcome keeps what came of an execution, which next has and the events have
// led to. The user's files are as it says: this must not be forgotten while the
// process lives. The caller holds a.deciding.
func (a *Agent) oweOutcome(h *heldPlan, x *execution, next *plan.Plan, events []plan.Event, err error) {
	was := h.plan.Progress
	a.swap(h, next, events...)
	if a.owes(next.Number) {
		return // the newest value will be stored
	}
	key := a.workspaceKey()
	a.owe(debt{
		plan: next.Number, execution: x.id, told: fmt.Sprintf("What was done with plan %d is kept now.", next.Number),
		pay: func(ctx context.Context) error { return a.payOutcome(ctx, key, h, x, &was) },
	}, fmt.Sprintf("What was done with plan %d cannot be kept yet, because the plan database cannot be written.", next.Number), err)
}

// owes tells whether something of a plan could not be stored yet. The caller
// holds a.deciding.
func (a *Agent) owes(n int) bool {
	return slices.ContainsFunc(a.owed, func(d debt) bool { return d.plan == n && n != 0 })
}

// payOutcome stores what came of an execution; was is the progress of the plan
// before it.
func (a *Agent) payOutcome(ctx context.Context, key string, h *heldPlan, x *execution, was *plan.Progress) error {
	a.mu.Lock()
	waiting := h.execution == x && x.waiting
	next := h.plan.Clone()
	a.mu.Unlock()
	state, updated := next.State, next.Updated
	next, err := a.storeOutcome(ctx, key, x, next, was, waiting, func(p *plan.Plan) error {
		p.State, p.Updated = state, updated
		return nil
	})
	if err != nil {
		return a.kept(next.Number, err)
	}
	a.swap(h, next)
	return nil
}

// paid forgets the debt of an execution whose outcome was stored after all. The
// caller holds a.deciding.
func (a *Agent) paid(x *execution) {
	a.owed = slices.DeleteFunc(a.owed, func(d debt) bool { return d.execution != 0 && d.execution == x.id })
}

// oweRevision keeps the revision that a turn has made. A plan that it revises
// goes on being drafted until then.
func (a *Agent) oweRevision(t *turn, revised *heldPlan, store func(context.Context) (*heldPlan, error), err error) {
	a.deciding.Lock()
	defer a.deciding.Unlock()
	number := 0
	if revised != nil {
		number, revised.owed = revised.plan.Number, true
	}
	a.oweStaged(number, func(ctx context.Context) error {
		h, err := store(ctx)
		if err != nil && mayPass(err) {
			return err
		}
		if revised != nil {
			revised.owed = false
			a.undraft(revised)
		}
		if err != nil {
			return err
		}
		a.update(func() { t.plan, t.conv.plan = h.plan.Number, h.plan.Number })
		a.announce(h, t.id)
		return nil
	}, err)
}

// oweStaged keeps what a turn has staged, which pay stores. n is the plan that it
// revises, 0 for none. The caller holds a.deciding.
func (a *Agent) oweStaged(n int, pay func(context.Context) error, err error) {
	what := "The plan"
	if n != 0 {
		what = fmt.Sprintf("A revision of plan %d", n)
	}
	a.owe(debt{plan: n, told: "The plan is kept now, and waits for you.", pay: pay},
		what+" is ready, but it cannot be kept yet, because the plan database cannot be written.", err)
}
