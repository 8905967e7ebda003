package turn

import (
	"context"

	"redline/agent/draft"
	"redline/agent/tool"
)

// handleAsk handles a question: the model has only the tools that read.
func handleAsk(ctx context.Context, w *work) error {
	w.draft = draft.New(w.ws)
	messages, err := w.request(ctx, w.prompt("ask"))
	if err != nil {
		return err
	}
	runErr := w.converse(ctx, messages, tool.Reading(), w.env(), w.hooks())
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if q := w.outcome.Asked; q != nil {
		return w.park(ctx, q)
	}
	if runErr == nil {
		w.remember(withUndone(w.outcome.Text, w.undone))
	}
	return runErr
}
