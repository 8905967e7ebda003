package turn

import (
	"context"
	"fmt"
	"strings"

	"redline/agent/conversation"
	"redline/agent/event"
	"redline/agent/loop"
	"redline/agent/model"
	"redline/agent/reuse"
)

// reusing returns the request of a turn for reuse, nil unless it is the first message of a
// conversation and begins a new plan.
func (w *work) reusing(ctx context.Context, messages []model.Message) *reuse.Request {
	m := &w.turn.request
	if !w.settings.ReusePlans || w.builtin() || w.revised != nil || m.Revise != 0 || m.Comment != nil || m.Answers != nil {
		return nil
	}
	if in, err := w.situation(ctx); err != nil || !in.First {
		return nil
	}
	return reuse.For(w.Session, reuse.Message{
		Route: w.route, Mode: m.Mode, Quoted: m.Quoted, Own: m.Own(), Text: m.Text, Told: messages,
		Model: model.For(w.Model, model.Editing).Info(), Limits: w.settings.Limits, Reach: w.Reach.String(),
	})
}

// again repeats what was done for the same request, and leaves the work as the model would
// have. It returns false if the model has to be asked.
func (w *work) again(ctx context.Context, r *reuse.Request) bool {
	if r == nil || w.turn.request.Again {
		return false
	}
	made, ok := r.Again(ctx, w.envFor, w.revisions.liveText)
	if !ok {
		return false
	}
	hooks := w.hooks()
	for _, c := range made.Calls {
		hooks.Tool(c.Tool, c.Result.Summary)
		for _, s := range c.Result.Staged {
			hooks.Staged(s)
		}
	}
	said := fmt.Sprintf("This is plan %d once more, without asking the model: the same was asked, and no file that it looked at has changed. /retry asks the model.", made.Plan)
	w.notify(event.Event{Kind: event.Noticed, Turn: w.turn.ID, Conversation: w.turn.Conversation.ID, Reused: made.Plan, Text: said})
	w.env = w.envFor(made.Draft)
	w.outcome = loop.Outcome{Text: strings.TrimSpace(made.Answer + "\n\n" + said)}
	w.turn.Update(func(r *conversation.Result) { r.Answer, r.Usage = w.outcome.Text, asUsage(w.aside) })
	return true
}

// keepForReuse keeps the model's calls of a turn that made a plan.
func (w *work) keepForReuse(ctx context.Context, r *reuse.Request) {
	if r == nil || !w.undone.None() {
		return
	}
	h := w.Board.Held(w.turn.Result().Plan)
	if h == nil || len(h.Revision().Operations) == 0 {
		return
	}
	r.Keep(ctx, h.Plan().Number, h.Revision(), w.outcome.Text, w.outcome.Messages)
}
