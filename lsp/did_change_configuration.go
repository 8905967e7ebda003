package lsp

import (
	"context"
	"encoding/json"
)

// didChangeConfiguration takes settings from the editor (LSP 3.18, "DidChangeConfiguration
// Notification"). Only a few of them count, since they may come from the repository; those take
// effect at once. If the notification has none, it asks the client for them.
func (s *session) didChangeConfiguration(_ context.Context, raw *json.RawMessage) error {
	var p struct {
		Settings json.RawMessage `json:"settings"`
	}
	if json.Unmarshal(*raw, &p) != nil {
		return nil
	}
	switch mine, ok := section(p.Settings); {
	case ok:
		s.settings.take(mine)
	case s.client.configuration && (len(p.Settings) == 0 || string(p.Settings) == "null"):
		s.conn.Go("configuration", s.settings.request)
	}
	return nil
}
