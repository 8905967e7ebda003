package agent

import (
	"context"
	"slices"

	"redline/agent/conversation"
	"redline/agent/plan"
	"redline/agent/refusal"
	"redline/agent/store"
)

// wayRender shows the newest plan of a conversation again. No model is asked, and
// nothing is decided by it.
func (ts *Turns) wayRender(ctx context.Context, w *work) error {
	plans, err := ts.store.Plans(ctx, ts.workspaceKey(), store.Filter{Conversation: w.turn.Conversation.ID, Limit: 1})
	if err != nil {
		return err
	}
	if len(plans) == 0 {
		return refusal.New(refusal.NoSuchPlan, "This conversation has no plan to show.")
	}
	h, err := ts.board.find(ctx, plans[0].Number)
	if err != nil {
		return err
	}
	if _, err := ts.ws.Own().Read(ts.board.previewName(h)); err != nil {
		ts.board.writePreview(h)
	} else {
		ts.board.renewPreview(h)
	}
	ts.board.mu.Lock()
	if !slices.Contains(h.due, plan.OpenPreview) {
		h.due = append(h.due, plan.OpenPreview)
	}
	description, n := h.revision().Description, h.plan().Number
	ts.board.mu.Unlock()
	w.turn.Update(func(r *conversation.Result) { r.Answer, r.Plan = description, n })
	ts.board.announcePlan(h, w.turn.ID, true)
	return nil
}
