package agent

import (
	"cmp"
	"context"

	"redline/agent/draft"
	"redline/agent/plan"
)

// openDraft opens the draft of a turn, and the conversation's undecided plan
// for a new revision if there is one. The caller ends it with
// endRevision(w.revised).
func (a *Agent) openDraft(ctx context.Context, w *work) error {
	revised, err := a.beginRevision(w.turn, false)
	if err != nil {
		return err
	}
	w.revised = revised
	if w.continued != nil {
		w.draft, err = a.continueDraft(ctx, w)
	} else if w.draft, err = a.draftFor(ctx, revised); err == nil {
		w.before = len(w.draft.Operations())
	}
	if err != nil {
		a.endRevision(revised)
	}
	return err
}

// beginRevision opens the conversation's undecided plan for a new revision. It
// returns nil when the message starts a plan of its own. Where the user is
// asked about each operation, the plan stays as it is: it can be decided on
// while the turn goes on.
func (a *Agent) beginRevision(t *turn, asks bool) (*heldPlan, error) {
	if t.request.Revise == 0 && (t.request.Mode == "plan" || t.continued != nil || t.request.Apart) {
		return nil, nil
	}
	waits := a.waitsFor(t)
	if named := a.namesElse(t, waits); named != nil {
		a.tellApart(t, waits, named)
		return nil, nil
	}
	h, err := a.openForRevision(t, asks)
	if err == nil && h != nil && h == waits {
		a.tellRevises(t, h)
	}
	return h, err
}

// openForRevision is beginRevision for a turn that is about the undecided plan.
func (a *Agent) openForRevision(t *turn, asks bool) (*heldPlan, error) {
	h := a.planToRevise(t)
	defer a.board.lock(h)()
	a.board.mu.Lock()
	defer a.board.mu.Unlock()
	if h == nil || !h.plan.State.Open() {
		return nil, nil
	}
	if asks && h.plan.State != plan.Drafting {
		return h, nil // what is carried out now is waited for when something is staged
	}
	if err := h.ready(plan.RequestRevision); err != nil {
		return nil, err
	}
	next := h.plan.Clone()
	if err := next.Apply(plan.RequestRevision); err != nil {
		return nil, err
	}
	h.before, h.plan = h.plan.State, next
	a.board.follow(h, h.before, plan.RequestRevision)
	a.board.changed(h)
	return h, nil
}

// planToRevise returns the plan that a turn is about, nil if the session has none.
func (a *Agent) planToRevise(t *turn) *heldPlan {
	a.board.mu.Lock()
	defer a.board.mu.Unlock()
	return a.board.plans[cmp.Or(t.request.Revise, a.board.planOf(t.Conversation.ID))]
}

// endRevision puts a plan back into the state that it had before a turn which
// made no new revision of it. Drafting is never stored: a crash does the same.
func (a *Agent) endRevision(h *heldPlan) {
	if h == nil {
		return
	}
	unlock := a.board.lock(h)
	drafting := !h.owed && a.undraft(h)
	unlock()
	if drafting {
		a.board.announce(h, "")
	}
}

// undraft puts a plan that is being drafted back into the state that it had
// before, and tells whether it was. The caller has locked the plan.
func (a *Agent) undraft(h *heldPlan) bool {
	a.board.mu.Lock()
	defer a.board.mu.Unlock()
	if h.plan.State != plan.Drafting {
		return false
	}
	next := h.plan.Clone()
	next.State = h.before
	h.plan = next
	a.board.changed(h)
	return true
}

// draftFor makes the draft of a turn: empty, or what the plan proposes less
// what the user rejected of it.
func (a *Agent) draftFor(ctx context.Context, h *heldPlan) (*draft.Draft, error) {
	if h == nil {
		return draft.New(a.ws), nil
	}
	a.board.mu.Lock()
	p := h.plan
	a.board.mu.Unlock()
	return draft.Resume(a.ws, p, func(b plan.Blob) (string, error) { return a.store.Text(ctx, b) })
}
