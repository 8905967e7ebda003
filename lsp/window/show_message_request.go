package window

import (
	"context"
	"encoding/json"
	"slices"

	"go.lsp.dev/protocol"
	"go.uber.org/zap"
)

// Choose asks the user a question with options (LSP 3.18, "ShowMessage Request") and
// returns the chosen one, "" for none. Clients answer a dismissal with null or {}, or
// never; Choose takes all of these, and an answer that was not offered, as none. It fails
// if the client has disconnected.
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
