package turn

import (
	"context"

	"redline/agent/draft"
	"redline/agent/tool"
)

// handleAsk handles a question: the model has only the tools that read.
func (ts *Turns) handleAsk(ctx context.Context, w *work) error {
	w.draft = draft.New(ts.ws)
	messages, err := ts.request(ctx, w, ts.texts.prompt("ask"))
	if err != nil {
		return err
	}
	runErr := ts.converse(ctx, w, messages, tool.Reading(), ts.env(w), ts.hooks(w))
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if q := w.outcome.Asked; q != nil {
		return ts.park(ctx, w, q)
	}
	if runErr == nil {
		ts.remember(w.turn, withUndone(w.outcome.Text, w.undone))
	}
	return runErr
}
