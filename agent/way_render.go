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
	h, err := a.find(ctx, plans[0].Number)
	if err != nil {
		return err
	}
	if _, err := a.ws.Own().Read(a.previewName(h)); err != nil {
		a.writePreview(h)
	} else {
		a.renewPreview(h)
	}
	a.mu.Lock()
	if !slices.Contains(h.due, plan.OpenPreview) {
		h.due = append(h.due, plan.OpenPreview)
	}
	description, n := h.revision.Description, h.plan.Number
	a.mu.Unlock()
	w.turn.Update(func(r *conversation.Result) { r.Answer, r.Plan = description, n })
	a.announcePlan(h, w.turn.ID, true)
	return nil
}
