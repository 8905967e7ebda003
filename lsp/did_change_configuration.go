package lsp

import (
	"context"
	"encoding/json"
)

// didChangeConfiguration takes the settings that count from an editor (LSP 3.18,
// "DidChangeConfiguration Notification"), which are few, since they may come from
// the repository. They have their effect at once. A client that sends no settings
// with it is asked for them, if it says that it can be.
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
