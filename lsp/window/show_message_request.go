package window

import (
	"context"
	"encoding/json"
	"slices"

	"go.lsp.dev/protocol"
	"go.uber.org/zap"
)

// Choose puts a question with answers to choose from (LSP 3.18, "ShowMessage
// Request") and returns the one that was chosen, "" for none. Clients answer a
// dismissal with null or {}, or never: that is no answer, and neither is anything
// that was not offered. It fails if the client has disconnected.
func (w *Window) Choose(ctx context.Context, text string, options []string) (string, error) {
	params := &protocol.ShowMessageRequestParams{Type: protocol.MessageTypeInfo, Message: "Redline: " + OneLine(text)}
	for _, option := range options {
		params.Actions = append(params.Actions, protocol.MessageActionItem{Title: option})
	}
	asked, cancel := context.WithTimeout(ctx, w.timeouts.Ask)
	defer cancel()
	var answer json.RawMessage
	if err := w.conn.Call(asked, "window/showMessageRequest", params, &answer); err != nil {
		if w.conn.Context().Err() != nil {
			return "", err
		}
		w.log.Debug("a question was not answered", zap.Error(err))
		return "", nil
	}
	var chosen struct {
		Title string `json:"title"`
	}
	if json.Unmarshal(answer, &chosen) != nil || !slices.Contains(options, chosen.Title) {
		return "", nil
	}
	return chosen.Title, nil
}
