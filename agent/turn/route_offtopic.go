package turn

import (
	"context"

	"redline/agent/conversation"
)

// handleOffTopic declines a message that has nothing to do with the workspace. No model is
// asked.
func handleOffTopic(_ context.Context, w *work) error {
	w.turn.Update(func(r *conversation.Result) {
		r.Answer = "This does not seem to be about your workspace, so the model was not asked. If it is, send it again with /ask or /plan in front of it."
	})
	return nil
}
