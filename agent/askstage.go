package agent

import (
	"cmp"
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"

	"redline/agent/backlog"
	"redline/agent/draft"
	"redline/agent/plan"
	"redline/agent/store"
)

// errOutdated is why a draft cannot be stored: the plan has got a revision that
// it does not go on from.
var errOutdated = errors.New("the plan has another revision by now")

// stage stores what the draft has as a revision of the plan, shows it, and
// offers what is new in it. While a decision is carried out it waits.
func (k *asking) stage(ctx context.Context) error {
	a := k.a
	if k.t.request.Comment != nil && !k.removed {
		if err := removeComment(k.env.Draft, k.t.request); err != nil {
			k.t.Warn(commentStays(k.t.request, err))
		}
		k.removed = true
	}
	k.trim(ctx)
	for tries := 0; ; tries++ {
		sealed, err := k.env.Draft.Seal(a.liveText)
		if err != nil {
			return err
		}
		if k.held == nil && sealed.Empty() {
			return nil
		}
		fresh, err := k.store(context.WithoutCancel(ctx), sealed)
		switch {
		case errors.Is(err, backlog.ErrUnderway):
			err = a.board.AwaitExecution(ctx, k.held)
		case errors.Is(err, errOutdated):
			err = k.again(ctx)
		case errors.Is(err, store.ErrChanged) && tries < 5:
			err = a.board.fresh(ctx)
		case err == nil:
			k.stored()
			a.offer(ctx, k, fresh)
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// trim leaves out what is redundant of what one reply has staged.
func (k *asking) trim(ctx context.Context) {
	lean, left := k.env.Draft.Lean(replay(ctx, k.a.ws))
	k.env.Draft = lean
	if text := leftOut(left, nil); text != "" {
		k.left = append(k.left, text)
	}
}

// store locks the plan and calls stageRevision.
func (k *asking) store(ctx context.Context, sealed draft.Sealed) (fresh []string, err error) {
	defer k.a.board.lock(k.held)()
	return k.a.stageRevision(ctx, k, sealed)
}

// stored notes and shows that the draft is in a revision.
func (k *asking) stored() {
	k.sealed = len(k.env.Draft.Operations())
	k.a.madePlan(k.t, k.held)
	k.a.board.announce(k.held, k.t.ID)
}

// owe keeps what the turn has staged until the store takes it. The plan can be
// decided on meanwhile, as during the turn.
func (k *asking) owe() {
	number := 0
	if k.held != nil {
		number = k.held.plan().Number
	}
	k.a.oweStaged(number, k.pay, k.unkept)
}

// pay is stage after the turn.
func (k *asking) pay(ctx context.Context) error {
	defer k.a.board.lock(k.held)()
	for tries := 0; ; tries++ {
		sealed, err := k.env.Draft.Seal(k.a.liveText)
		if err != nil {
			return err
		}
		_, err = k.a.stageRevision(ctx, k, sealed)
		switch {
		case errors.Is(err, errOutdated):
			err = k.again(ctx)
		case errors.Is(err, store.ErrChanged) && tries < 5:
			(&Tx{b: k.a.board, h: k.held}).Reread(ctx)
			err = nil
		case err == nil:
			k.stored()
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// again stages what is new in the draft upon the revision that the plan has now:
// the user has taken operations out meanwhile, say, and means that. Of what is
// not possible there the user is told now, and the model with its next call.
func (k *asking) again(ctx context.Context) error {
	news := k.env.Draft.Operations()[k.sealed:]
	if err := k.resume(ctx); err != nil {
		return err
	}
	k.lost = append(k.lost, k.a.stageAgain(ctx, k.t, k.env.Draft, k.seen.Number, uponRevision(k.seen), news)...)
	return nil
}

// stageRevision stores one revision. It returns the ids of the operations that
// the plan did not have before, none if the draft has come to the same again. The
// caller has locked k.held.
func (ts *Turns) stageRevision(ctx context.Context, k *asking, sealed draft.Sealed) (fresh []string, err error) {
	description := strings.TrimSpace(strings.Join(slices.Concat([]string{k.said.String()}, sealed.Notes, k.left), "\n"))
	r := ts.modelRevision(k.t, k.env.Draft, description, &sealed)
	if k.held != nil {
		r.Predicted = k.held.revision().Predicted
	}
	r.Tokens = plan.Tokens(asUsage(k.used.Minus(k.charged)))
	var p, was *plan.Plan
	before, events := plan.Drafting, []plan.Event{plan.PlanCreated}
	if k.held == nil {
		defer ts.board.adding()()
		if p, err = ts.newPlan(ctx, goalIn(k.t, k.env.Draft), k.t, r, sealed); err == nil {
			defer ts.board.lockNumber(p.Number)()
		}
	} else {
		ts.board.mu.Lock()
		h := k.held
		underway := h.execution != nil || h.plan().State == plan.Executing
		was, p = h.plan(), h.plan().Clone()
		same := sameContent(h.revision(), sealed) && reflect.DeepEqual(h.revision().Steps, r.Steps)
		ts.board.mu.Unlock()
		switch {
		case underway:
			return nil, backlog.ErrUnderway
		case p.Current != k.seen.Current:
			return nil, errOutdated
		case same:
			return nil, nil
		}
		before, events = p.State, stagingOn(p.State)
		p.Goal = cmp.Or(submittedGoal(k.env.Draft), p.Goal)
		p, err = ts.addRevision(ctx, k.t, p, r, sealed, events...)
	}
	if err != nil {
		if errors.Is(err, store.ErrChanged) {
			ts.board.behind.Store(true)
		}
		return nil, err
	}
	for i := range p.Latest().Operations {
		id := p.Latest().Operations[i].ID
		if known := was != nil && was.Latest() != nil; !known || !hasOperation(was.Latest(), id) {
			fresh = append(fresh, id)
		}
	}
	k.charged = k.used
	h, err := ts.board.hold(ctx, p)
	if err != nil {
		ts.board.behind.Store(true) // it is stored
		return nil, err
	}
	k.held, k.told = h, cmp.Or(k.told, p)
	ts.board.mu.Lock()
	k.held.staging = !k.over
	ts.board.follow(k.held, before, events...)
	ts.board.mu.Unlock()
	return fresh, nil
}

// stagingOn is the way that a plan takes to a revision with more operations. A
// plan that somebody has decided on to its end meanwhile begins again.
func stagingOn(s plan.State) []plan.Event {
	switch s {
	case plan.Failed:
		return []plan.Event{plan.RequestRevision, plan.FinishDrafting}
	case plan.Completed, plan.Cancelled:
		return []plan.Event{plan.Start, plan.FinishDrafting}
	}
	return []plan.Event{plan.OperationStaged}
}

// sameContent tells whether a draft would be what a revision is: then another
// one would only make what the user was shown void.
func sameContent(r *plan.Revision, s draft.Sealed) bool {
	operations := func(a, b plan.Operation) bool { return a.ID != "" && a.ID == b.ID }
	changes := func(a, b plan.Change) bool {
		return a.Path == b.Path && a.NewPath == b.NewPath && a.Action == b.Action && a.Base == b.Base && a.Proposed == b.Proposed &&
			slices.EqualFunc(a.Hunks, b.Hunks, func(a, b plan.Hunk) bool { return a.ID == b.ID })
	}
	return slices.EqualFunc(r.Operations, s.Operations, operations) && slices.EqualFunc(r.Changes, s.Changes, changes)
}
