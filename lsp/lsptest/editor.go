// Package lsptest is a scriptable editor: an LSP client with real buffers, versions, encodings and
// the habits of named editors, the bad ones included. The tests and benchmarks use it, and so does
// "redline demo": it is a part of the program. It knows no package of the server.
//
// Paths are relative to the editor's folder, with slashes. A test acts as the user does (Open, Type,
// RunAction, Save …) and waits with Await, which looks again at each message: nothing sleeps.
package lsptest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"go.lsp.dev/jsonrpc2"

	"redline/edits"
)

// Editor is one running editor. All methods may be called from any goroutine.
type Editor struct {
	profile Profile
	dir     string
	setup   options
	result  json.RawMessage // of initialize

	encoding edits.Encoding
	fullSync bool

	mu          sync.Mutex
	link        *link         // replaced by Reconnect
	changed     chan struct{} // closed and replaced at each change
	buffers     map[string]*buffer
	held        map[*buffer]*edits.Lines // texts that the server knows of buffers whose changes are held back; nil when none are
	diagnostics map[string][]Diagnostic  // pushed
	pulled      map[string][]Diagnostic
	others      map[string][]Diagnostic // of other servers
	puller      *puller                 // nil if they are not asked for
	messages    []Message
	progress    []Progress
	shown       []string
	virtual     map[string]Virtual // open ones, by URI
	refreshes   map[string]int     // by method
	events      []json.RawMessage
	applied     int
	lastCommand time.Time
	onApply     func(WorkspaceEdit) (Answer, bool)
	onAsk       func(Message) string
	onReview    func([]Proposal) []bool
}

type options struct {
	events, answers bool
	initialization  any
	configuration   map[string]any
	folders         []string
	outlives        bool
}

// Option changes what Start sends.
type Option func(*options)

// WithEvents announces experimental.redline.events.
func WithEvents() Option { return func(o *options) { o.events = true } }

// WithAnswers announces experimental.redline.answers besides: the editor shows answers itself.
func WithAnswers() Option { return func(o *options) { o.events, o.answers = true, true } }

// WithInitialization sends initializationOptions.
func WithInitialization(v any) Option { return func(o *options) { o.initialization = v } }

// WithConfiguration answers workspace/configuration from sections by name; others are null.
func WithConfiguration(sections map[string]any) Option {
	return func(o *options) { o.configuration = sections }
}

// WithFolders opens these folders, relative to the editor's, as the workspace instead of that one.
func WithFolders(paths ...string) Option { return func(o *options) { o.folders = paths } }

// Start connects to the server at the other end of rwc and does the handshake. dir is the folder that
// the editor has open. ctx bounds the handshake; the editor lives until Quit or Kill.
func Start(ctx context.Context, rwc io.ReadWriteCloser, p Profile, dir string, opts ...Option) (*Editor, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	e := &Editor{
		profile: p, dir: dir,
		changed: make(chan struct{}), buffers: map[string]*buffer{}, diagnostics: map[string][]Diagnostic{}, pulled: map[string][]Diagnostic{}, others: map[string][]Diagnostic{},
		virtual: map[string]Virtual{}, refreshes: map[string]int{},
	}
	for _, o := range opts {
		o(&e.setup)
	}
	e.link = e.connect(ctx, rwc)
	if err := e.handshake(ctx); err != nil {
		e.Kill()
		return nil, fmt.Errorf("initialize: %w", err)
	}
	return e, nil
}

func (e *Editor) handshake(ctx context.Context) error {
	folders := []map[string]string{}
	for _, path := range e.setup.folders {
		folders = append(folders, e.folder(path))
	}
	if e.setup.folders == nil {
		folders = append(folders, e.folder(""))
	}
	params := map[string]any{
		"processId": os.Getpid(), "clientInfo": map[string]string{"name": e.profile.Name},
		"rootUri": folders[0]["uri"], "workspaceFolders": folders,
		"capabilities": e.profile.capabilities(e.setup),
	}
	if e.setup.initialization != nil {
		params["initializationOptions"] = e.setup.initialization
	}
	if _, err := e.linked().conn.Call(ctx, "initialize", params, (*jsonrpc2.RawMessage)(&e.result)); err != nil {
		return err
	}
	var result struct {
		Capabilities struct {
			PositionEncoding string          `json:"positionEncoding"`
			TextDocumentSync json.RawMessage `json:"textDocumentSync"`
		} `json:"capabilities"`
	}
	if err := json.Unmarshal(e.result, &result); err != nil {
		return err
	}
	if name := result.Capabilities.PositionEncoding; name != "" {
		enc, ok := edits.ParseEncoding(name)
		if !ok {
			return fmt.Errorf("the server chose an unknown encoding %q", name)
		}
		e.encoding = enc
	}
	e.fullSync = syncKind(result.Capabilities.TextDocumentSync) == 1
	e.startPulling(e.linked())
	return e.Notify("initialized", struct{}{})
}

// syncKind reads textDocumentSync: a number, or an object with one in "change".
func syncKind(raw json.RawMessage) int {
	var kind int
	var object struct{ Change int }
	if json.Unmarshal(raw, &kind) != nil && json.Unmarshal(raw, &object) == nil {
		kind = object.Change
	}
	return kind
}

// InitializeResult returns what the server answered to initialize.
func (e *Editor) InitializeResult() json.RawMessage { return e.result }

// Encoding returns the negotiated position encoding.
func (e *Editor) Encoding() edits.Encoding { return e.encoding }

// Call sends any request. An error answer is a *Refusal. What is held back of the user's changes goes
// out first.
func (e *Editor) Call(ctx context.Context, method string, params any) (json.RawMessage, error) {
	e.mu.Lock()
	e.release()
	conn := e.link.conn
	e.mu.Unlock()
	var result jsonrpc2.RawMessage
	_, err := conn.Call(ctx, method, params, &result)
	var wire *jsonrpc2.Error
	if errors.As(err, &wire) {
		r := &Refusal{Code: int(wire.Code), Message: wire.Message}
		var data struct{ Kind string }
		if json.Unmarshal(wire.Data, &data) == nil {
			r.Kind = data.Kind
		}
		return nil, r
	}
	return json.RawMessage(result), err
}

// Notify sends any notification.
func (e *Editor) Notify(method string, params any) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.notify(method, params)
}

// notify sends a notification; with e.mu held, so that changes go out in order.
func (e *Editor) notify(method string, params any) error {
	err := e.link.conn.Notify(e.link.ctx, method, params)
	if e.setup.outlives {
		return nil // the next server is shown the texts as they are then
	}
	return err
}

// Quit ends the session as an editor does: shutdown, exit, and it waits until the server has closed
// its side or ctx is done.
func (e *Editor) Quit(ctx context.Context) error {
	defer e.Kill()
	if _, err := e.Call(ctx, "shutdown", nil); err != nil {
		return err
	}
	if err := e.Notify("exit", nil); err != nil {
		return err
	}
	l := e.linked()
	l.cancel() // requests that are never answered wait for this
	select {
	case <-l.conn.Done():
		return nil
	case <-ctx.Done():
		return fmt.Errorf("the server did not exit: %w", ctx.Err())
	}
}

// Kill ends the session like a crash: the transport is closed and nothing is said.
func (e *Editor) Kill() { e.linked().end() }

// OnApply has f decide on each edit of the server: it may call Apply, wait, refuse or lie. With
// handled false the editor does as its profile says. f runs beside the editor's other work.
func (e *Editor) OnApply(f func(edit WorkspaceEdit) (answer Answer, handled bool)) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.onApply = f
}

// OnAsk has f choose the action of each showMessageRequest by its title; "" dismisses it, as the
// editor does without f.
func (e *Editor) OnAsk(f func(Message) string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.onAsk = f
}

// signal wakes everyone who waits; with e.mu held.
func (e *Editor) signal() {
	close(e.changed)
	e.changed = make(chan struct{})
}
