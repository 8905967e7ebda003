package turn

import (
	"context"

	"redline/agent/board"
	"redline/agent/draft"
	"redline/agent/plan"
	"redline/agent/toolset"
)

// openDraft opens the draft of a turn, and the conversation's undecided plan for a new revision
// if there is one. The caller must call w.revisions.end(w.revised).
func (w *work) openDraft(ctx context.Context) error {
	revised, err := w.revisions.begin(w.turn, false)
	if err != nil {
		return err
	}
	w.revised = revised
	var d *draft.Draft
	if w.turn.continued != nil {
		d, err = w.continueDraft(ctx)
	} else if d, err = w.revisions.draftFor(ctx, w.ws, revised); err == nil {
		w.before = len(d.Operations())
	}
	if err != nil {
		w.revisions.end(revised)
	}
	w.env = w.envFor(d)
	return err
}

// begin opens the conversation's undecided plan for a new revision. It returns nil if the
// message begins a new plan. asks says that the user is asked about each operation: then the
// plan stays as it is, and can be decided on during the turn.
func (rs *revisions) begin(t *turn, asks bool) (*board.Held, error) {
	if t.request.Revise == 0 && (t.request.Mode == "plan" || t.continued != nil || t.request.Apart) {
		return nil, nil
	}
	waits := rs.waitsFor(t)
	if named := rs.namesElse(t, waits); named != nil {
		rs.sayApart(t, waits, named)
		return nil, nil
	}
	h, err := rs.open(t, asks)
	if err == nil && h != nil && h == waits {
		rs.sayRevises(t, h)
	}
	return h, err
}

// open opens the plan that a turn is about, and returns nil if it is closed. See begin.
func (rs *revisions) open(t *turn, asks bool) (*board.Held, error) {
	h := rs.planToRevise(t)
	tx := rs.board.Lock(h)
	defer tx.Unlock()
	if h == nil || !h.Plan().State.Open() {
		return nil, nil
	}
	if asks && h.Plan().State != plan.Drafting {
		return h, nil // stage waits until a decision is carried out
	}
	if err := tx.Ready(plan.RequestRevision); err != nil {
		return nil, err
	}
	if err := tx.Draft(h.Plan(), plan.RequestRevision); err != nil {
		return nil, err
	}
	return h, nil
}

// planToRevise returns the plan that a turn is about, nil if the session has none.
func (rs *revisions) planToRevise(t *turn) *board.Held {
	if t.request.Revise != 0 {
		return rs.board.Held(t.request.Revise)
	}
	return rs.board.Held(rs.board.PlanOf(t.Conversation.ID))
}

// end puts a plan back into its state before the turn if the turn made no new revision of it.
// Drafting is never stored, so a crash does the same.
func (rs *revisions) end(h *board.Held) { rs.undraft(rs.board.Lock(h)) }

// undraft ends the drafting of a plan, if it is drafting, and the transaction that has locked it.
func (rs *revisions) undraft(tx *board.Tx) {
	undrafted := tx.Held != nil && tx.Undraft()
	tx.Unlock()
	if undrafted {
		rs.board.Announce(tx.Held, "")
	}
}

// draftFor makes the draft of a turn on files: empty, or what the plan h proposes without what the
// user rejected.
func (rs *revisions) draftFor(ctx context.Context, files draft.Reader, h *board.Held) (*draft.Draft, error) {
	if h == nil {
		return draft.New(files), nil
	}
	return draft.Resume(files, h.Plan(), rs.store.Texts(ctx))
}

// unpark restores a parked draft on the plan h that it revises, nil for none. It returns the
// operations that could not be staged again.
func (rs *revisions) unpark(ctx context.Context, h *board.Held, p draft.Parked) (*draft.Draft, []draft.Lost, error) {
	begin := func(files draft.Reader) (*draft.Draft, error) { return rs.draftFor(ctx, files, h) }
	return draft.Unpark(rs.ws, p, begin, toolset.Replay(ctx, rs.ws))
}
