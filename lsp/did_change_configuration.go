package lsp

import (
	"context"
	"encoding/json"

	"redline/agent/config"
)

// didChangeConfiguration takes no setting (LSP 3.18, "DidChangeConfiguration
// Notification"): settings over LSP may come from the repository, and none of
// those that there are is harmless enough for that. The log names those in the
// section redline, so that nobody wonders.
func (s *session) didChangeConfiguration(_ context.Context, raw *json.RawMessage) error {
	var p struct {
		Settings struct {
			Redline map[string]any `json:"redline"`
		} `json:"settings"`
	}
	if json.Unmarshal(*raw, &p) != nil {
		return nil // there is no such section in settings of another shape
	}
	for _, warning := range config.Ignored("the editor's settings", p.Settings.Redline) {
		s.log.Warn(string(warning))
	}
	return nil
}
