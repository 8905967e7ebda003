package turn

import (
	"context"
	"fmt"

	"redline/agent/board"
	"redline/agent/chat"
	"redline/agent/conversation"
	"redline/agent/plan"
	"redline/agent/store"
	"redline/agent/view"
	"redline/internal/phrase"
)

// handleProceed approves the waiting plan of a conversation, at the revision that the user saw.
// The user's own words must be, as a whole, a phrase that approves; exactly one plan must wait;
// and the user must have been shown it. Otherwise it asks which plan is meant. Apart from slash
// commands, no other path leads from a message to an approval, and no model's reply takes this
// one.
func handleProceed(ctx context.Context, w *work) error {
	m := &w.turn.request
	here, others := w.plans()
	waiting, all := board.Waiting(here), board.Waiting(others)
	answer := func(text string) error {
		w.turn.Update(func(r *conversation.Result) { r.Answer = text })
		return nil
	}
	switch {
	case len(waiting)+len(all) == 0: // the plan was decided on meanwhile
		return answer("No plan waits any more.")
	case len(waiting) == 0:
		return answer(fmt.Sprintf("No plan waits in this conversation. If you approve one of another, say which: /approve N, where N is one of %s.", Numbers(all)))
	case len(waiting) > 1:
		return answer(fmt.Sprintf("Several plans wait in this conversation. Say which you approve: /approve N, where N is one of %s.", Numbers(waiting)))
	case !approves(m):
		return answer(w.waits(waiting[0]))
	}
	n := waiting[0]
	var revision int
	var hash string
	var ok bool
	if m.Shown != nil {
		revision, hash, ok = m.Shown(n)
	} else {
		var err error
		if revision, hash, ok, err = w.store.LastShown(ctx, w.Session.Key(), n, m.Client); err != nil {
			return err
		}
	}
	if !ok {
		return answer(fmt.Sprintf("Plan %d has not been shown here yet: look at it first, then decide.", n))
	}
	d := view.Request{Plan: n, Revision: revision, Hash: hash, Way: view.ByWords, Client: "chat", Reason: fmt.Sprintf("said %q", phrase.FirstLine(m.Own(), 60))}
	h, err := w.Board.Find(ctx, n)
	if err != nil {
		return err
	}
	if h.Revision().TextOnly { // this turn works the plan out
		if d, err = w.Decisions.Settled(ctx, d); err == nil {
			err = w.revisions.approveWords(ctx, h, d)
		}
		if err != nil {
			return err
		}
		m.Goal = h.Plan().Goal
		w.Board.Announce(h, "")
		return w.workOut(ctx, h, d)
	}
	r, err := w.Decisions.Approve(ctx, d)
	if err != nil {
		return err
	}
	w.turn.Update(func(r *conversation.Result) { r.Decided = plan.VerdictApprove })
	return answer(r.Line("approved"))
}

// waits tells the user that a plan waits, and how to approve it.
func (w *work) waits(n int) string {
	goal := ""
	if h := w.Board.Held(n); h != nil {
		goal = ": " + phrase.TrimStop(phrase.FirstLine(h.Plan().Goal, 100))
	}
	return fmt.Sprintf("Plan %d waits for you%s. To approve it, send /approve %d or choose \"approve plan %d\" in your editor; nothing was done.", n, goal, n, n)
}

// approves reports whether the message is a phrase that approves, in the user's own words: not
// from a template, a comment, or text that was in the chat file when it was opened.
func approves(m *conversation.Request) bool {
	return chat.Approves(m.Text) && m.Decides && m.Comment == nil
}

// handleOffTopic declines a message that has nothing to do with the workspace. It asks no model.
func handleOffTopic(_ context.Context, w *work) error {
	w.turn.Update(func(r *conversation.Result) {
		r.Answer = "This does not seem to be about your workspace, so the model was not asked. If it is, send it again with /ask or /plan in front of it."
	})
	return nil
}

// handleRender shows the newest plan of a conversation again. It asks no model and decides
// nothing.
func handleRender(ctx context.Context, w *work) error {
	plans, err := w.store.Plans(ctx, w.Session.Key(), store.Filter{Conversation: w.turn.Conversation.ID, Limit: 1})
	if err != nil {
		return err
	}
	if len(plans) == 0 {
		return plan.Refuse(plan.NoSuchPlan, "This conversation has no plan to show.")
	}
	h, err := w.Board.Find(ctx, plans[0].Number)
	if err != nil {
		return err
	}
	w.turn.Update(func(r *conversation.Result) { r.Answer, r.Plan = h.Revision().Description, h.Number() })
	w.Board.ShowAgain(h, w.turn.ID)
	return nil
}
