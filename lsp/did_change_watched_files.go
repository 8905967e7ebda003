package lsp

import (
	"context"
	"encoding/json"
)

// didChangeWatchedFiles has what the plans have in these files looked at now. The
// server registers no watchers, and finds out by itself some moments later;
// several clients watch all the same (LSP 3.18, "DidChangeWatchedFiles
// Notification").
func (s *session) didChangeWatchedFiles(_ context.Context, raw *json.RawMessage) error {
	var p struct {
		Changes []textDocument `json:"changes"`
	}
	if s.backend.agent == nil || json.Unmarshal(*raw, &p) != nil {
		return nil
	}
	var paths []string
	for _, c := range p.Changes {
		if path, ok := s.workspace.PathOf(c.URI); ok {
			paths = append(paths, path)
		}
	}
	s.backend.agent.OnDisk(paths)
	return nil
}
