package turn

import (
	"context"

	"redline/agent/draft"
	"redline/agent/tool"
)

// handleAsk handles a question: the model has only the tools that read.
func handleAsk(ctx context.Context, w *work) error {
	w.env = w.envFor(draft.New(w.ws))
	messages, err := w.request(ctx, w.prompt("ask"))
	if err != nil {
		return err
	}
	return w.conclude(ctx, w.converse(ctx, messages, tool.Reading(), w.hooks()))
}
