package agent

import (
	"context"
	"slices"

	"redline/agent/conversation"
	"redline/agent/plan"
	"redline/agent/store"
)

// wayRender shows the newest plan of a conversation again. No model is asked, and
// nothing is decided by it.
func (a *Agent) wayRender(ctx context.Context, w *work) error {
	plans, err := a.store.Plans(ctx, a.workspaceKey(), store.Filter{Conversation: w.turn.Conversation.ID, Limit: 1})
	if err != nil {
		return err
	}
	if len(plans) == 0 {
		return refuse(NoSuchPlan, "This conversation has no plan to show.")
	}
	h, err := a.board.find(ctx, plans[0].Number)
	if err != nil {
		return err
	}
	if _, err := a.ws.Own().Read(a.board.previewName(h)); err != nil {
		a.board.writePreview(h)
	} else {
		a.board.renewPreview(h)
	}
	a.board.mu.Lock()
	if !slices.Contains(h.due, plan.OpenPreview) {
		h.due = append(h.due, plan.OpenPreview)
	}
	description, n := h.revision.Description, h.plan.Number
	a.board.mu.Unlock()
	w.turn.Update(func(r *conversation.Result) { r.Answer, r.Plan = description, n })
	a.board.announcePlan(h, w.turn.ID, true)
	return nil
}
