package agent

import (
	"context"

	"redline/agent/draft"
	"redline/agent/tool"
)

// wayAsk is the way of a question: the model has only the tools that read.
func (a *Agent) wayAsk(ctx context.Context, w *work) error {
	w.draft = draft.New(a.ws)
	messages, err := a.request(ctx, w, a.prompt("ask"))
	if err != nil {
		return err
	}
	runErr := a.converse(ctx, w, messages, tool.Reading(), a.env(w), a.hooks(w))
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if q := w.outcome.Asked; q != nil {
		return a.park(ctx, w, q)
	}
	if runErr == nil {
		a.remember(w.turn, withUndone(w.outcome.Text, w.undone))
	}
	return runErr
}
