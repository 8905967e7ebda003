// Package lsp is the language server: protocol in, presentation out. The handler of each
// LSP method is here. It updates the workspace with what the editor reports, passes messages and decisions
// to the agent, and shows the agent's plans. The packages below do the work: lsp/command runs
// the commands, lsp/present shows the agent's events, lsp/apply changes files. Package lsp
// decides nothing, and everything it shows can be made again from the agent's state.
//
// Notifications, and the first part of each request, run in wire order on the connection's
// read loop; whatever takes time runs off it.
package lsp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"sync/atomic"
	"syscall"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"redline/agent"
	"redline/agent/config"
	"redline/agent/state"
	"redline/internal/wire"
	"redline/lsp/apply"
	"redline/lsp/window"
	"redline/workspace"
)

// Options configure a server.
type Options struct {
	Log     *zap.Logger // nil logs nothing
	Version string      // the program's version, for serverInfo
	// NewAgent makes the agent of the connection. It is called during initialize, so it must
	// not open anything. If it fails, the server continues without an agent, and shows the
	// error to the user when something needs one.
	NewAgent func(*workspace.Workspace, state.Editor) (*agent.Agent, error)
	StateDir string // see workspace.Options
	// OffLimits names what no tool reads or changes; see workspace.Options.
	OffLimits []string
	MaxFile   int64                   // see workspace.Options
	Charsets  []workspace.CharsetRule // see workspace.Options
	Timeouts  Timeouts
	// Settings are the user's own; the editor's are added to them. Nil means the defaults.
	Settings *config.Settings
	// Warnings say which of the user's settings have no effect. The user sees them.
	Warnings []config.Warning
	// Review sets whether the client has a review of annotated changes: "always", "never",
	// or, with "auto" or "", what it announces.
	Review string

	// SomeBuffers means that the client shows the server only some of its buffers. Actions
	// that change other files then state that those are saved. Set it together with
	// [agent.Options.SomeBuffers].
	SomeBuffers bool
}

// ErrNotShutDown is the error of [Serve] when the editor left without a shutdown request (LSP
// 3.18, "Exit Notification").
var ErrNotShutDown = errors.New("the editor left without shutting the server down")

// server is one connection before and after its session.
type server struct {
	options Options
	log     *zap.Logger
	conn    *wire.Conn

	session  atomic.Pointer[session] // nil before initialize
	shutDown atomic.Bool
}

// Serve serves an editor on rwc until the input ends, exit arrives, ctx is done, or the process
// that initialize named is gone. It returns nil after shutdown and exit, else an error that
// says how the connection ended.
func Serve(ctx context.Context, rwc io.ReadWriteCloser, o Options) error {
	if o.Log == nil {
		o.Log = zap.NewNop()
	}
	o.Timeouts = o.Timeouts.withDefaults()
	s := &server{options: o}
	messages := window.NewLogMessages(zapcore.InfoLevel)
	s.log = o.Log.WithOptions(zap.WrapCore(func(core zapcore.Core) zapcore.Core {
		return zapcore.NewTee(core, messages)
	}))
	s.conn = wire.NewConn(ctx, rwc, s.routes(), wire.Options{Log: s.log})
	messages.Connect(s.conn)
	s.conn.Start()
	<-s.conn.Done()
	if session := s.session.Load(); session != nil {
		session.backend.Close() // wait for work that began when the connection ended
		session.backend.Leave()
		session.backend.Close() // wait for work that Leave began
	}
	switch {
	case s.shutDown.Load():
		return nil
	case s.conn.Err() != nil:
		return s.conn.Err()
	}
	return ErrNotShutDown
}

// routes returns the router with the handler of each method.
func (s *server) routes() *wire.Router {
	r := wire.NewRouter()
	wire.HandleRequest(r, "initialize", s.initialize)
	wire.HandleRequest(r, "shutdown", s.shutdown)
	wire.HandleNotification(r, "exit", s.exit)

	notify(s, r, "initialized", (*session).initialized)
	notify(s, r, "textDocument/didOpen", (*session).didOpen)
	notify(s, r, "textDocument/didChange", (*session).didChange)
	notify(s, r, "textDocument/willSave", (*session).willSave)
	notify(s, r, "textDocument/didSave", (*session).didSave)
	notify(s, r, "textDocument/didClose", (*session).didClose)
	notify(s, r, "workspace/didChangeWatchedFiles", (*session).didChangeWatchedFiles)
	notify(s, r, "workspace/didChangeWorkspaceFolders", (*session).didChangeWorkspaceFolders)
	notify(s, r, "workspace/didChangeConfiguration", (*session).didChangeConfiguration)
	notify(s, r, "window/workDoneProgress/cancel", (*session).cancelProgress)

	request(s, r, "textDocument/codeAction", (*session).codeAction)
	request(s, r, "textDocument/hover", (*session).hover)
	request(s, r, "textDocument/completion", (*session).completion)
	request(s, r, "textDocument/documentLink", (*session).documentLink)
	request(s, r, "textDocument/foldingRange", (*session).foldingRange)
	request(s, r, "textDocument/documentSymbol", (*session).documentSymbol)
	request(s, r, "textDocument/diagnostic", (*session).diagnostic)
	request(s, r, "workspace/diagnostic", (*session).workspaceDiagnostic)
	request(s, r, "textDocument/codeLens", (*session).codeLens)
	request(s, r, "textDocument/inlayHint", (*session).inlayHint)
	request(s, r, "workspace/textDocumentContent", (*session).textDocumentContent)
	request(s, r, "workspace/executeCommand", (*session).executeCommand)
	return r
}

// notify routes a notification to the session. The session exists, since the connection admits
// nothing else before initialize.
func notify[P any](s *server, r *wire.Router, method string, h func(*session, context.Context, *P) error) {
	wire.HandleNotification(r, method, func(ctx context.Context, p *P) error { return h(s.session.Load(), ctx, p) })
}

// request routes a request to the session; see notify.
func request[P any](s *server, r *wire.Router, method string, h func(*session, context.Context, *P) (wire.Run, error)) {
	wire.HandleRequest(r, method, func(ctx context.Context, p *P) (wire.Run, error) { return h(s.session.Load(), ctx, p) })
}

// Timeouts bound how long the server waits. A zero field means its default.
type Timeouts struct {
	Apply    apply.Timeouts // for changes through the client
	Request  time.Duration  // for the answer to a request other than workspace/applyEdit; 10 s
	Ask      time.Duration  // for the answer to a question; 30 min
	Underway time.Duration  // how long an approval runs before it is shown as progress; 500 ms
	Parent   time.Duration  // how often to check that the editor's process lives; 5 s
	Starting time.Duration  // how long a request waits for the plans of earlier sessions; 1 s
	Plans    time.Duration  // how often to check for plans that another process has changed; 1 s
	Retain   time.Duration  // how often to check for old plans to remove; 5 min
}

func (t Timeouts) withDefaults() Timeouts {
	t.Request = cmp.Or(t.Request, 10*time.Second)
	t.Ask = cmp.Or(t.Ask, 30*time.Minute)
	t.Underway = cmp.Or(t.Underway, 500*time.Millisecond)
	t.Parent = cmp.Or(t.Parent, 5*time.Second)
	t.Starting = cmp.Or(t.Starting, time.Second)
	t.Plans = cmp.Or(t.Plans, time.Second)
	t.Retain = cmp.Or(t.Retain, 5*time.Minute)
	return t
}

// shutdown records that the editor shuts the server down (LSP 3.18, "Shutdown Request"). exit
// then ends the process.
func (s *server) shutdown(context.Context, *wire.NoParams) (wire.Run, error) {
	s.shutDown.Store(true)
	return nil, nil
}

// exit ends the connection (LSP 3.18, "Exit Notification").
func (s *server) exit(context.Context, *wire.NoParams) error {
	s.conn.Close()
	return nil
}

// watchParent ends the connection when the editor's process is gone. If an editor is killed,
// another process may keep the pipe open.
func (s *server) watchParent(ctx context.Context, pid int) {
	if pid <= 0 {
		return
	}
	tick := time.NewTicker(s.options.Timeouts.Parent)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if !alive(pid) {
				s.log.Info("the editor's process is gone")
				s.conn.Close()
				return
			}
		}
	}
}

// alive reports whether the process exists. It returns true if that cannot be determined, since
// the end of the input ends the connection too.
func alive(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	err = p.Signal(syscall.Signal(0))
	return !errors.Is(err, os.ErrProcessDone) && !errors.Is(err, syscall.ESRCH)
}

// cancelProgressParams are WorkDoneProgressCancelParams. An unknown token is not an error.
type cancelProgressParams struct {
	Token json.RawMessage `json:"token"`
}

// cancelProgress cancels the turn whose progress the user has cancelled (LSP 3.18, "Cancelling a
// Work Done Progress").
func (s *session) cancelProgress(_ context.Context, p *cancelProgressParams) error {
	var turn string
	if json.Unmarshal(p.Token, &turn) != nil || turn == "" || s.backend.Agent() == nil {
		return nil
	}
	s.conn.Go("cancel", func(context.Context) { s.backend.Agent().Cancel(turn) })
	return nil
}
