package lsp

import (
	"context"
	"encoding/json"
	"sync"
	"sync/atomic"
	"time"

	"go.lsp.dev/protocol"
	"go.uber.org/zap"

	"redline/agent/config"
	"redline/lsp/wire"
	"redline/workspace"
)

// settings are the user's own settings with the editor's added.
type settings struct {
	own     config.Settings
	conn    *wire.Conn
	timeout time.Duration // timeout of a request
	changed func()
	log     *zap.Logger

	now    atomic.Pointer[config.Settings] // replaced as a whole, never changed
	warned sync.Once                       // logs the settings of the workspace's file only once
}

// newSettings returns the user's own settings, or the defaults if own is nil. It calls changed
// after the editor has sent other settings.
func newSettings(own *config.Settings, conn *wire.Conn, timeout time.Duration, changed func(), log *zap.Logger) *settings {
	s := &settings{own: config.Default(), conn: conn, timeout: timeout, changed: changed, log: log}
	if own != nil {
		s.own = *own
	}
	s.now.Store(&s.own)
	return s
}

// ui returns the current UI settings.
func (s *settings) ui() config.UISettings { return s.now.Load().UI }

// take replaces the editor's settings with raw, the section redline. It logs settings
// that are ignored.
func (s *settings) take(raw json.RawMessage) {
	var tables map[string]any
	_ = json.Unmarshal(raw, &tables) // settings of another form have no section redline
	now, warnings := s.own.WithEditor(tables)
	for _, warning := range warnings {
		s.log.Warn(string(warning))
	}
	s.now.Store(&now)
	s.changed()
}

// takeOptions takes settings from the initializationOptions. Some editors put the section
// redline there, others its members.
func (s *settings) takeOptions(options protocol.LSPAny) {
	raw := json.RawMessage(options)
	if mine, ok := section(raw); ok {
		raw = mine
	}
	if len(raw) > 0 {
		s.take(raw)
	}
}

// section returns the member redline of the settings.
func section(settings json.RawMessage) (raw json.RawMessage, ok bool) {
	var sections map[string]json.RawMessage
	if json.Unmarshal(settings, &sections) != nil {
		return nil, false
	}
	raw, ok = sections["redline"]
	return raw, ok
}

// request asks the client for the section redline, and takes it (LSP 3.18, "Configuration
// Request").
func (s *settings) request(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	params := json.RawMessage(`{"items":[{"section":"redline"}]}`)
	var answer []json.RawMessage
	var raw json.RawMessage
	if err := s.conn.Call(ctx, "workspace/configuration", params, &raw); err != nil {
		s.log.Debug("the client did not tell its settings", zap.Error(err))
		return
	}
	if json.Unmarshal(raw, &answer) == nil && len(answer) == 1 {
		s.take(answer[0])
	}
}

// warnOfWorkspaceFile logs, once, which settings of the workspace's own file are ignored.
func (s *settings) warnOfWorkspaceFile(w *workspace.Workspace) {
	data, err := w.Own().Read(config.WorkspaceFile)
	if err != nil {
		return // the workspace has no such file
	}
	s.warned.Do(func() {
		for _, warning := range config.IgnoredIn(config.OfWorkspace, data) {
			s.log.Warn(string(warning))
		}
	})
}
