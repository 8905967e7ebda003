package turn

import (
	"cmp"
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"

	"redline/agent/backlog"
	"redline/agent/board"
	"redline/agent/draft"
	"redline/agent/offer"
	"redline/agent/plan"
	"redline/agent/store"
	"redline/agent/toolset"
)

// errOutdated says that a draft cannot be stored because the plan has got a revision that the
// draft was not resumed from.
var errOutdated = errors.New("the plan has another revision by now")

// stage stores the draft as a revision of the plan, shows it, and offers what is new. It waits
// while a decision is carried out.
func (k *stepwise) stage(ctx context.Context) error {
	w := k.w
	if w.turn.request.Comment != nil && !k.removed {
		if err := removeComment(k.w.env.Draft, w.turn.request); err != nil {
			w.turn.Warn(commentStays(w.turn.request, err))
		}
		k.removed = true
	}
	k.trim(ctx)
	for tries := 0; ; tries++ {
		sealed, err := k.w.env.Draft.Seal(w.revisions.liveText)
		if err != nil {
			return err
		}
		if k.held == nil && sealed.Empty() {
			return nil
		}
		fresh, err := k.store(context.WithoutCancel(ctx), sealed)
		switch {
		case errors.Is(err, backlog.ErrUnderway):
			err = w.Board.AwaitExecution(ctx, k.held)
		case errors.Is(err, errOutdated):
			err = k.rebase(ctx)
		case errors.Is(err, store.ErrChanged) && tries < 5:
			err = w.Board.Refresh(ctx)
		case err == nil:
			k.stored()
			w.offers.Add(ctx, k.held, fresh, offer.Turn{
				ID: w.turn.ID, Conversation: w.turn.Conversation.ID, Client: w.turn.request.Client, Waits: w.turn.request.AskAtOnce,
			})
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// trim removes redundant operations that one reply has staged.
func (k *stepwise) trim(ctx context.Context) {
	lean, left := k.w.env.Draft.Lean(toolset.Replay(ctx, k.w.ws))
	k.w.env.Draft = lean
	if text := leftOut(left, nil); text != "" {
		k.left = append(k.left, text)
	}
}

// store locks the plan and calls storeLocked.
func (k *stepwise) store(ctx context.Context, sealed draft.Sealed) (fresh []string, err error) {
	tx := k.w.Board.Lock(k.held)
	defer tx.Unlock()
	return k.storeLocked(ctx, tx, sealed)
}

// stored notes that the draft is in a revision, and shows the plan.
func (k *stepwise) stored() {
	w := k.w
	k.sealed = len(k.w.env.Draft.Operations())
	w.revisions.madePlan(w.turn, k.held)
	w.Board.Announce(k.held, w.turn.ID)
}

// storeLater leaves the staged operations to the backlog. The plan can be decided on meanwhile,
// as during the turn.
func (k *stepwise) storeLater() {
	number := 0
	if k.held != nil {
		number = k.held.Number()
	}
	k.w.revisions.storeLater(number, k.retry, k.unstored)
}

// retry stores the draft from the backlog, after the turn.
func (k *stepwise) retry(ctx context.Context) error {
	tx := k.w.Board.Lock(k.held)
	defer tx.Unlock()
	for tries := 0; ; tries++ {
		sealed, err := k.w.env.Draft.Seal(k.w.revisions.liveText)
		if err != nil {
			return err
		}
		_, err = k.storeLocked(ctx, tx, sealed)
		switch {
		case errors.Is(err, errOutdated):
			err = k.rebase(ctx)
		case errors.Is(err, store.ErrChanged) && tries < 5:
			tx.Reread(ctx)
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

// rebase stages the new operations of the draft on the plan's current revision, for instance
// after the user has taken operations out. It tells the user at once which of them are not
// possible there, and the model with its next call.
func (k *stepwise) rebase(ctx context.Context) error {
	news := k.w.env.Draft.Operations()[k.sealed:]
	if err := k.resume(ctx); err != nil {
		return err
	}
	k.lost = append(k.lost, k.w.revisions.stageAgain(ctx, k.w.turn, k.w.env.Draft, k.seen.Number, uponRevision(k.seen), news)...)
	return nil
}

// storeLocked stores one revision. It returns the ids of the operations that are new in the
// plan, none if the draft proposes the same as before. tx has locked k.held.
func (k *stepwise) storeLocked(ctx context.Context, tx *board.Tx, sealed draft.Sealed) (fresh []string, err error) {
	w := k.w
	description := strings.TrimSpace(strings.Join(slices.Concat([]string{k.said.String()}, sealed.Notes, k.left), "\n"))
	r := w.revisions.byModel(w.turn, k.w.env.Draft, description, &sealed)
	r.Tokens = plan.Tokens(asUsage(k.used.Minus(k.charged)))
	var h *board.Held
	var before *plan.Revision // its operations are not fresh
	if k.held == nil {
		h, err = w.revisions.newPlan(ctx, w.turn, goalIn(w.turn, k.w.env.Draft), r, sealed, !k.over)
	} else {
		p, current := k.held.Now()
		switch {
		case tx.Executing() || p.State == plan.Executing:
			return nil, backlog.ErrUnderway
		case p.Current != k.seen.Current:
			return nil, errOutdated
		case sameContent(current, sealed) && reflect.DeepEqual(current.Steps, r.Steps):
			return nil, nil
		}
		before, r.Predicted = p.Latest(), current.Predicted
		events := stagingOn(p.State)
		p = p.Clone()
		p.Goal = cmp.Or(submittedGoal(k.w.env.Draft), p.Goal)
		h, err = w.revisions.add(ctx, w.turn, tx, p, r, sealed, !k.over, events...)
	}
	if err != nil {
		return nil, err
	}
	stored := h.Plan()
	for i := range stored.Latest().Operations {
		id, known := stored.Latest().Operations[i].ID, false
		if before != nil {
			_, known = before.Operation(id)
		}
		if !known {
			fresh = append(fresh, id)
		}
	}
	k.charged, k.held, k.told = k.used, h, cmp.Or(k.told, stored)
	return fresh, nil
}

// stagingOn returns the events that lead a plan to a revision with more operations. A plan that
// was closed meanwhile begins again.
func stagingOn(s plan.State) []plan.Event {
	switch s {
	case plan.Failed:
		return []plan.Event{plan.RequestRevision, plan.FinishDrafting}
	case plan.Completed, plan.Cancelled:
		return []plan.Event{plan.Start, plan.FinishDrafting}
	}
	return []plan.Event{plan.OperationStaged}
}

// sameContent reports whether a draft proposes the same as a revision. Then another revision
// would only void what the user was shown.
func sameContent(r *plan.Revision, s draft.Sealed) bool {
	operations := func(a, b plan.Operation) bool { return a.ID != "" && a.ID == b.ID }
	changes := func(a, b plan.Change) bool {
		return a.Path == b.Path && a.NewPath == b.NewPath && a.Action == b.Action && a.Base == b.Base && a.Proposed == b.Proposed &&
			slices.EqualFunc(a.Hunks, b.Hunks, func(a, b plan.Hunk) bool { return a.ID == b.ID })
	}
	return slices.EqualFunc(r.Operations, s.Operations, operations) && slices.EqualFunc(r.Changes, s.Changes, changes)
}
