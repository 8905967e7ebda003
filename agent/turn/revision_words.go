package turn

import (
	"context"

	"redline/agent/board"
	"redline/agent/decision"
	"redline/agent/plan"
	"redline/agent/refusal"
)

// beginInWords opens the conversation's undecided plan for a new revision if it is in
// words: words do not replace staged edits. It returns nil if the message begins a new plan.
func (rs *revisions) beginInWords(t *turn) (*board.Held, error) {
	if !rs.inWords(t) {
		return nil, nil
	}
	return rs.begin(t, false)
}

// inWords reports whether the plan that a turn would revise is one in words.
func (rs *revisions) inWords(t *turn) bool {
	h := rs.planToRevise(t)
	return h != nil && h.Plan().State.Open() && h.Revision().TextOnly
}

// approveWords checks and stores the approval of a plan in words and sets the plan to drafting.
// Drafting is not stored: after a crash the plan waits again.
func (rs *revisions) approveWords(ctx context.Context, h *board.Held, d decision.Request) error {
	tx := rs.board.Lock(h)
	defer tx.Unlock()
	if err := tx.Ready(plan.ExecuteText); err != nil {
		return err
	}
	if err := d.Binds(h.Now()); err != nil {
		return err
	}
	next, r := h.Plan().Clone(), h.Revision()
	switch {
	case !r.TextOnly:
		return decision.NotAsShown(next.Number)
	case len(d.Paths)+len(d.Hunks) > 0 || d.Operation != "":
		return refusal.New(refusal.Invalid, "Plan %d is in words only and has no parts yet: approve it as a whole, then decide on the edits that come of it.", next.Number)
	}
	stored, err := rs.store.Plan(ctx, rs.session.Key(), next.Number)
	if err != nil {
		return rs.board.StoreError(next.Number, err)
	}
	if kept, ok := stored.Revision(r.Number); !ok || plan.ApprovalHash(next.Number, kept) != r.Hash {
		return decision.NotAsShown(next.Number)
	}
	next.Updated = rs.session.Now().UTC()
	if err := rs.store.Save(ctx, rs.session.Key(), next, decision.Record(h.Plan(), h.Revision(), d, plan.VerdictApprove, nil, rs.session.Now())); err != nil {
		return rs.board.StoreError(next.Number, err)
	}
	if err := tx.Draft(next, plan.ExecuteText); err != nil {
		return refusal.New(refusal.WrongState, "Plan %d: %s", next.Number, err)
	}
	return nil
}
