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
	"redline/agent/state"
	"redline/internal/wire"
	"redline/lsp/apply"
	"redline/lsp/backend"
	"redline/lsp/command"
	"redline/lsp/completion"
	"redline/lsp/diagnostics"
	"redline/lsp/pages"
	"redline/lsp/position"
	"redline/lsp/present"
	"redline/lsp/textsync"
	"redline/lsp/window"
	"redline/workspace"
)

// session holds the parts of a connection from initialize on. Each part owns its state.
type session struct {
	position.Mapper
	client   client
	conn     *wire.Conn
	log      *zap.Logger
	timeouts Timeouts
	warnings []config.Warning // see Options

	workspace   *workspace.Workspace
	documents   *textsync.Documents
	backend     *backend.Backend
	settings    *settings
	window      *window.Window
	editor      userEditor
	shown       *pages.Shown
	diagnostics *diagnostics.Publisher
	refresher   *diagnostics.Refresher
	presenter   *present.Presenter
	commands    *command.Runner
	completer   *completion.Completer
	virtual     *pages.Virtual
	pages       pages.Pages
	locations   position.Finder
	saves       saves
	drafts      drafts
}

func newSession(s *server, c client, folders []workspace.Folder) *session {
	c.actions.SomeBuffers, c.actions.Shows = s.options.SomeBuffers, c.window.ShowDocument
	c.window.Follows = c.events.Events
	switch s.options.Review {
	case "always":
		c.actions.Review = true
	case "never":
		c.actions.Review = false
	}
	w := workspace.New(folders, workspace.Options{StateDir: s.options.StateDir, OffLimits: s.options.OffLimits, MaxFile: s.options.MaxFile, Charsets: s.options.Charsets})
	n := &session{
		Mapper: position.Mapper{Encoding: c.encoding}, client: c, conn: s.conn, log: s.log, timeouts: s.options.Timeouts, warnings: s.options.Warnings,
		workspace: w, pages: pages.New(w), saves: saves{told: c.willSave},
	}
	n.documents = textsync.New(w, n.Mapper)
	n.window = window.New(n.conn, c.window, window.Timeouts{Request: n.timeouts.Request, Ask: n.timeouts.Ask}, n.log)
	n.backend = backend.New(backend.Options{
		Conn: n.conn, Window: n.window, Workspace: w, Changed: n.changed, Log: n.log, Client: c.name,
		Leave: n.timeouts.Request, Watch: n.timeouts.Plans, Retain: n.timeouts.Retain,
	})
	n.locations = position.NewFinder(n.Mapper, w, n.backend.Snapshot)
	n.shown = pages.NewShown(func(plan, revision int, hash string) { n.backend.Agent().Session.Shown(plan, revision, hash, c.name) })
	n.completer = completion.New(n.backend, w, n.conn)
	n.virtual = pages.NewVirtual(n.backend, n.shown, w)
	n.diagnostics = diagnostics.New(n.conn, n.Mapper, n.backend.Snapshot, n.shown.NoteView, n.log)
	n.refresher = diagnostics.NewRefresher(n.refreshing())
	n.settings = newSettings(s.options.Settings, n.conn, n.timeouts.Request, n.refresher.Look, n.log)
	applier := apply.New(apply.Options{
		Conn: n.conn, Workspace: w, Positions: n.Mapper, Client: c.edits, Timeouts: n.timeouts.Apply,
		Damaged: n.documents.Lost, Late: func(path string) { n.backend.Agent().Board.Reconciler.Answered(path) },
	})
	n.commands = command.New(command.Options{
		ClientName: c.name, Review: c.actions.Review, Conn: n.conn, Window: n.window, Workspace: w, Backend: n.backend, Positions: n.Mapper,
		Locations: n.locations, Pages: n.pages, Shown: n.shown, Completer: n.completer, Preview: applier.Preview,
	})
	n.presenter = present.New(n.presentation())
	n.editor = userEditor{applier, n.presenter}
	a, err := s.options.NewAgent(w, n.editor)
	if err == nil {
		a.Session.Attach(n.editor)
		a.Presence.Name(c.name)
	}
	n.backend.Connect(a, err)
	context.AfterFunc(n.conn.Context(), n.backend.Close)
	if c.pull {
		n.conn.Go("diagnostics", func(ctx context.Context) { n.diagnostics.Forward(ctx, n.refresher.Look) })
	} else {
		n.conn.Go("diagnostics", n.diagnostics.Run)
	}
	n.conn.Go("presentation", n.presenter.Run)
	n.conn.Go("refreshes", n.refresher.Run)
	return n
}

// refreshing returns the options of the refresher.
func (s *session) refreshing() diagnostics.RefreshOptions {
	o := diagnostics.RefreshOptions{
		Client: s.client.refresh, Pull: s.client.pull, Conn: s.conn, Workspace: s.workspace, Publisher: s.diagnostics,
		UI: func() config.UISettings { return s.settings.ui() }, Timeout: s.timeouts.Request, Log: s.log,
	}
	if s.client.virtual {
		o.Virtual = s.virtual
	}
	return o
}

// presentation returns the options of the presenter.
func (s *session) presentation() present.Options {
	return present.Options{
		Client: s.client.events, Conn: s.conn, Window: s.window, Workspace: s.workspace, Backend: s.backend, Positions: s.Mapper,
		Pages: s.pages, Shown: s.shown, Commands: s.commands, UI: s.settings.ui, Changed: s.changed, Underway: s.timeouts.Underway, Log: s.log,
	}
}

// changed schedules an update of the client's view. It never blocks.
func (s *session) changed() {
	s.diagnostics.Refresh()
	s.refresher.Look()
}

// recoverSoon starts reading the plans of earlier sessions off the read loop, and logs
// which settings of the workspace's own file are ignored.
func (s *session) recoverSoon() {
	if s.backend.RecoverSoon() {
		s.conn.Go("settings", func(context.Context) { s.settings.warnOfWorkspaceFile(s.workspace) })
	}
}

// userEditor is the connected client in the role of the agent's editor.
type userEditor struct {
	*apply.Applier     // changes files
	*present.Presenter // shows and asks
}

var _ state.Editor = userEditor{}

// documentParams are the params of a message about a document, with the URI as the client
// spells it.
type documentParams struct {
	TextDocument position.TextDocument `json:"textDocument"`
}

// positionParams are TextDocumentPositionParams with the URI as the client spells it.
type positionParams struct {
	TextDocument position.TextDocument `json:"textDocument"`
	Position     protocol.Position     `json:"position"`
}

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
