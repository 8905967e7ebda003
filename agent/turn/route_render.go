package turn

import (
	"context"

	"redline/agent/conversation"
	"redline/agent/refusal"
	"redline/agent/store"
)

// handleRender shows the newest plan of a conversation again. It asks no model and decides
// nothing.
func handleRender(ctx context.Context, w *work) error {
	plans, err := w.store.Plans(ctx, w.Session.Key(), store.Filter{Conversation: w.turn.Conversation.ID, Limit: 1})
	if err != nil {
		return err
	}
	if len(plans) == 0 {
		return refusal.New(refusal.NoSuchPlan, "This conversation has no plan to show.")
	}
	h, err := w.Board.Find(ctx, plans[0].Number)
	if err != nil {
		return err
	}
	w.turn.Update(func(r *conversation.Result) { r.Answer, r.Plan = h.Revision().Description, h.Number() })
	w.Board.ShowAgain(h, w.turn.ID)
	return nil
}
