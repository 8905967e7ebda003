package lsp

import (
	"context"
	"encoding/json"

	"go.lsp.dev/protocol"
	"go.uber.org/zap"

	"redline/agent/config"
)

// ui is what the user wants to be shown besides, as it is set now.
func (s *session) ui() config.UISettings { return s.settings.Load().UI }

// configure takes the section redline of the editor's settings, raw, in place of
// what the editor has sent before. What does not count is named in the log, so
// that nobody wonders.
func (s *session) configure(raw json.RawMessage) {
	var tables map[string]any
	_ = json.Unmarshal(raw, &tables) // settings of another shape have no such section
	settings, warnings := s.own.WithEditor(tables)
	for _, warning := range warnings {
		s.log.Warn(string(warning))
	}
	s.settings.Store(&settings)
	s.refresher.look()
}

// configureFirst takes settings from the initializationOptions: some editors send
// the section redline there, some what is in it.
func (s *session) configureFirst(options protocol.LSPAny) {
	raw := json.RawMessage(options)
	if mine, ok := section(raw); ok {
		raw = mine
	}
	if len(raw) > 0 {
		s.configure(raw)
	}
}

// section returns the member redline of settings.
func section(settings json.RawMessage) (raw json.RawMessage, ok bool) {
	var sections map[string]json.RawMessage
	if json.Unmarshal(settings, &sections) != nil {
		return nil, false
	}
	raw, ok = sections["redline"]
	return raw, ok
}

// askConfiguration has the client tell the section redline (LSP 3.18,
// "Configuration Request").
func (s *session) askConfiguration(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, s.timeouts.Request)
	defer cancel()
	params := json.RawMessage(`{"items":[{"section":"redline"}]}`)
	var answer []json.RawMessage
	var raw json.RawMessage
	if err := s.conn.Call(ctx, "workspace/configuration", params, &raw); err != nil {
		s.log.Debug("the client did not tell its settings", zap.Error(err))
		return
	}
	if json.Unmarshal(raw, &answer) == nil && len(answer) == 1 {
		s.configure(answer[0])
	}
}
