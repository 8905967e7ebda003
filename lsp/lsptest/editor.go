// Package lsptest is a scriptable editor: an LSP client with real buffers, versions, encodings and the
// habits of named editors, including the bad ones. The tests, the benchmarks and "redline demo" use
// it, so it is part of the program. It imports no package of the server.
//
// Paths are relative to the editor's folder, with slashes. A test acts as the user does (Open, Type,
// RunAction, Save …) and waits with Await, which checks again at each message: nothing sleeps.
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
//
// It consists of parts that each own some state; the interaction between them is in Editor itself.
type Editor struct {
	*connection // to the server
	*documents  // what the user has open
	*received   // what the server has sent to be shown
	*scripts    // what the test has decide in the user's place
	*requests   // what an editor asks the server about a document

	profile Profile
	setup   options
	news    *news
	result  json.RawMessage // of initialize

	commands struct {
		sync.Mutex
		last time.Time
	}
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

// WithAnswers also announces experimental.redline.answers: the editor shows answers itself.
func WithAnswers() Option { return func(o *options) { o.events, o.answers = true, true } }

// WithInitialization sends initializationOptions.
func WithInitialization(v any) Option { return func(o *options) { o.initialization = v } }

// WithConfiguration answers workspace/configuration from sections by name; others are null.
func WithConfiguration(sections map[string]any) Option {
	return func(o *options) { o.configuration = sections }
}

// WithFolders opens these folders, relative to the editor's, as the workspace instead of the editor's.
func WithFolders(paths ...string) Option { return func(o *options) { o.folders = paths } }

// Start connects to the server at the other end of rwc and does the handshake. dir is the folder that
// the editor has open. ctx bounds the handshake; the editor lives until Quit or Kill.
func Start(ctx context.Context, rwc io.ReadWriteCloser, p Profile, dir string, opts ...Option) (*Editor, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	n := &news{changed: make(chan struct{})}
	conn, shown := &connection{}, newReceived(n)
	e := &Editor{
		connection: conn, received: shown, scripts: &scripts{}, profile: p, news: n,
		documents: &documents{root: root{dir}, profile: p, conn: conn, news: n, shown: shown, buffers: map[string]*buffer{}},
	}
	e.requests = &requests{call: e.Call, uri: e.URI}
	for _, o := range opts {
		o(&e.setup)
	}
	conn.outlives = e.setup.outlives
	conn.link.Store(e.connect(ctx, rwc))
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
		e.documents.encoding = enc
	}
	e.documents.fullSync = syncKind(result.Capabilities.TextDocumentSync) == 1
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

// Encoding returns the negotiated position encoding.
func (e *Editor) Encoding() edits.Encoding { return e.encoding }

// Call sends any request, after letting go of any changes that are held back. An error answer is a
// *Refusal.
func (e *Editor) Call(ctx context.Context, method string, params any) (json.RawMessage, error) {
	e.documents.letGo()
	var result jsonrpc2.RawMessage
	_, err := e.linked().conn.Call(ctx, method, params, &result)
	if wire, ok := errors.AsType[*jsonrpc2.Error](err); ok {
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
func (e *Editor) Notify(method string, params any) error { return e.connection.notify(method, params) }

// Quit ends the session as an editor does: it sends shutdown and exit, and waits until the server has
// closed its side or ctx is done.
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

// AddFolder adds a workspace folder, relative to the editor's own.
func (e *Editor) AddFolder(path string) error {
	return e.changeFolders([]map[string]string{e.folder(path)}, nil)
}

// RemoveFolder removes a folder from the workspace. Documents in it stay open.
func (e *Editor) RemoveFolder(path string) error {
	return e.changeFolders(nil, []map[string]string{e.folder(path)})
}

func (e *Editor) changeFolders(added, removed []map[string]string) error {
	event := map[string]any{"added": []map[string]string{}, "removed": []map[string]string{}}
	if added != nil {
		event["added"] = added
	}
	if removed != nil {
		event["removed"] = removed
	}
	return e.Notify("workspace/didChangeWorkspaceFolders", map[string]any{"event": event})
}

// folder returns a WorkspaceFolder.
func (e *Editor) folder(path string) map[string]string {
	name := filepath.Base(path)
	if path == "" {
		name = filepath.Base(e.dir)
	}
	return map[string]string{"uri": e.URI(path), "name": name}
}
