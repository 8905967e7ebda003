package turn

import (
	"cmp"
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"

	"redline/agent/board"
	"redline/agent/decide"
	"redline/agent/draft"
	"redline/agent/plan"
	"redline/agent/store"
	"redline/agent/toolset"
)

// errOutdated means that a draft cannot be stored because the plan has a newer revision than the
// one that the draft was resumed from.
var errOutdated = errors.New("the plan has another revision by now")

// stage stores the draft as a revision of the plan, shows it, and asks about what is new.
func (k *stepwise) stage(ctx context.Context) error {
	request := k.turn.request
	if request.Comment != nil && !k.removed {
		if err := removeComment(k.env.Draft, request); err != nil {
			k.turn.Warn(commentStays(request, err))
		}
		k.removed = true
	}
	lean, left := k.env.Draft.Lean(toolset.Replay(ctx, k.ws)) // forget what one reply has staged in vain
	k.env.Draft = lean
	if len(left) > 0 {
		k.left = append(k.left, leftOut(left, nil))
	}
	fresh, err := k.save(ctx)
	if err == nil && k.revised != nil {
		k.offers.Add(ctx, k.revised, fresh, decide.OfferTurn{
			ID: k.turn.ID, Conversation: k.turn.Conversation.ID, Client: request.Client, Waits: request.AskAtOnce,
		})
	}
	return err
}

// save stores the draft as a revision of the plan and shows it. It returns the ids of the
// operations that are new in the plan. During the turn it waits while a decision is carried out;
// after the turn the backlog calls it again.
func (k *stepwise) save(ctx context.Context) (fresh []string, err error) {
	for tries := 0; ; tries++ {
		sealed, err := k.env.Draft.Seal(k.revisions.liveText)
		if err != nil || k.revised == nil && sealed.Empty() {
			return nil, err
		}
		fresh, err := k.storeRevision(context.WithoutCancel(ctx), sealed)
		switch {
		case err == nil:
			k.sealed = len(k.env.Draft.Operations())
			k.revisions.made(k.turn, k.revised)
			return fresh, nil
		case errors.Is(err, board.ErrUnderway) && !k.over:
			err = k.Board.AwaitExecution(ctx, k.revised)
		case errors.Is(err, errOutdated):
			err = k.rebase(ctx)
		case errors.Is(err, store.ErrChanged) && tries < 5:
			err = nil // the plan was read anew
		}
		if err != nil {
			return nil, err
		}
	}
}

// rebase stages the new operations of the draft on the plan's current revision, for instance
// after the user has taken operations out. It tells the user at once which of them cannot be
// staged there, and the model with its next request.
func (k *stepwise) rebase(ctx context.Context) error {
	news := k.env.Draft.Operations()[k.sealed:]
	seen := k.seen
	if err := k.resume(ctx); err != nil {
		k.seen = seen // the draft is still based on that revision
		return err
	}
	k.lost = append(k.lost, k.revisions.stageAgain(ctx, k.turn, k.env.Draft, k.seen.Number, uponRevision(k.seen), news)...)
	return nil
}

// storeRevision stores one revision. It returns the ids of the operations that are new in the
// plan, none if the draft proposes the same as before.
func (k *stepwise) storeRevision(ctx context.Context, sealed draft.Sealed) (fresh []string, err error) {
	description := strings.TrimSpace(strings.Join(slices.Concat([]string{k.text.String()}, sealed.Notes, k.left), "\n"))
	n := k.revisions.byModel(k.turn, k.env.Draft, description, sealed)
	n.Tokens = plan.Tokens(asUsage(k.used.Minus(k.charged)))
	before := &plan.Revision{} // its operations are not fresh
	var h *board.Held
	if k.revised == nil {
		h, err = k.revisions.newPlan(ctx, n, !k.over)
	} else {
		before = k.revised.Plan().Latest()
		h, err = k.revise(ctx, n)
	}
	if h == nil || err != nil {
		return nil, err
	}
	for _, o := range h.Plan().Latest().Operations {
		if _, known := before.Operation(o.ID); !known {
			fresh = append(fresh, o.ID)
		}
	}
	k.charged, k.revised, k.told = k.used, h, cmp.Or(k.told, h.Plan())
	return fresh, nil
}

// revise stores a further revision of the plan. It returns nil if the draft proposes the same as
// before.
func (k *stepwise) revise(ctx context.Context, n newRevision) (*board.Held, error) {
	tx := k.Board.Lock(k.revised)
	defer tx.Unlock()
	p, current := k.revised.Now()
	switch {
	case tx.Executing() || p.State == plan.Executing:
		return nil, board.ErrUnderway
	case p.Current != k.seen.Current:
		return nil, errOutdated
	case sameContent(current, n.sealed) && reflect.DeepEqual(current.Steps, n.Steps):
		return nil, nil
	}
	n.Predicted = current.Predicted
	events := stagingOn(p.State)
	p = p.Clone()
	p.Goal = cmp.Or(submittedGoal(k.env.Draft), p.Goal)
	h, err := k.revisions.add(ctx, tx, p, n, !k.over, events...)
	if errors.Is(err, store.ErrChanged) {
		tx.Reread(ctx)
	}
	return h, err
}

// stagingOn returns the events that bring a plan into a state where more operations can be
// added. A plan that was closed meanwhile is opened again.
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
// would only invalidate what the user was shown.
func sameContent(r *plan.Revision, s draft.Sealed) bool {
	operations := func(a, b plan.Operation) bool { return a.ID != "" && a.ID == b.ID }
	changes := func(a, b plan.Change) bool {
		return a.Path == b.Path && a.NewPath == b.NewPath && a.Action == b.Action && a.Base == b.Base && a.Proposed == b.Proposed &&
			slices.EqualFunc(a.Hunks, b.Hunks, func(a, b plan.Hunk) bool { return a.ID == b.ID })
	}
	return slices.EqualFunc(r.Operations, s.Operations, operations) && slices.EqualFunc(r.Changes, s.Changes, changes)
}
