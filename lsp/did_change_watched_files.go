package lsp

import (
	"context"
	"encoding/json"

	"redline/lsp/position"
)

// didChangeWatchedFiles lets the agent read the changed files now (LSP 3.18,
// "DidChangeWatchedFiles Notification"). The server registers no watchers and polls; several
// clients send these notifications anyway.
func (s *session) didChangeWatchedFiles(_ context.Context, raw *json.RawMessage) error {
	var p struct {
		Changes []position.TextDocument `json:"changes"`
	}
	if s.backend.Agent() == nil || json.Unmarshal(*raw, &p) != nil {
		return nil
	}
	var paths []string
	for _, c := range p.Changes {
		if path, ok := s.workspace.PathOf(c.URI); ok {
			paths = append(paths, path)
		}
	}
	s.backend.Agent().OnDisk(paths)
	return nil
}
