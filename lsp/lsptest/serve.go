package lsptest

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	"go.lsp.dev/jsonrpc2"

	"redline/edits"
)

// handle takes the server's notifications and requests, in the order they come.
func (e *Editor) handle(ctx context.Context, l *link, req *jsonrpc2.Request) (any, error) {
	method := strings.Clone(req.Method())
	params := json.RawMessage(slices.Clone(req.Params()))
	if !req.IsCall() {
		e.notified(method, params)
		return nil, nil
	}
	if e.profile.Silent || slices.Contains(e.profile.Unanswered, method) {
		e.requestedInVain(method, params)
		jsonrpc2.Async(ctx)
		<-l.ctx.Done()
		return nil, l.ctx.Err()
	}
	switch method {
	case "workspace/applyEdit":
		return e.applyEdit(ctx, l, req.ID(), params)
	case "window/showMessageRequest":
		if e.profile.ShowMessageRequest {
			return e.ask(ctx, params)
		}
	case "window/showDocument":
		switch {
		case e.profile.ShowErrs:
			return nil, jsonrpc2.NewError(jsonrpc2.InternalError, "no window for it")
		case e.profile.ShowFails:
			return map[string]bool{"success": false}, nil
		case e.profile.ShowDocument:
			return e.showDocument(params)
		}
	case "workspace/configuration":
		return e.configure(params)
	case "workspace/textDocumentContent/refresh":
		if e.profile.VirtualDocuments {
			e.refreshed(l, method, params)
			return nil, nil
		}
	case "workspace/diagnostic/refresh":
		if e.profile.PullDiagnostics && e.profile.Refreshes {
			e.refreshed(l, method, params)
			return nil, nil
		}
	case "workspace/codeLens/refresh", "workspace/inlayHint/refresh":
		if e.profile.Refreshes {
			e.refreshed(l, method, params)
			return nil, nil
		}
	case "client/registerCapability", "client/unregisterCapability", "window/workDoneProgress/create":
		return nil, nil
	}
	return nil, jsonrpc2.NewError(jsonrpc2.MethodNotFound, "no method "+method)
}

func (e *Editor) notified(method string, params json.RawMessage) {
	e.mu.Lock()
	defer e.mu.Unlock()
	defer e.signal()
	switch method {
	case "textDocument/publishDiagnostics":
		e.published(params)
	case "window/showMessage":
		e.messages = append(e.messages, message(params))
	case "$/progress":
		e.progressed(params)
	case "redline/event":
		e.events = append(e.events, params)
	}
}

// requestedInVain notes what a user would have seen of a request that is never answered.
func (e *Editor) requestedInVain(method string, params json.RawMessage) {
	if method == "window/showMessageRequest" {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.messages = append(e.messages, message(params))
		e.signal()
	}
}

func (e *Editor) published(params json.RawMessage) {
	var p struct {
		URI         string       `json:"uri"`
		Version     *int         `json:"version"`
		Diagnostics []Diagnostic `json:"diagnostics"`
	}
	if json.Unmarshal(params, &p) != nil {
		return
	}
	key := e.named(p.URI)
	if b, ok := e.buffers[key]; ok && e.profile.ExactDiagnostics && p.Version != nil && *p.Version != b.version {
		return
	}
	e.diagnostics[key] = p.Diagnostics
}

func message(params json.RawMessage) Message {
	var p struct {
		Type    int
		Message string
		Actions []struct{ Title string }
	}
	_ = json.Unmarshal(params, &p) // an empty message then
	m := Message{Type: p.Type, Text: p.Message}
	for _, a := range p.Actions {
		m.Actions = append(m.Actions, a.Title)
	}
	return m
}

func (e *Editor) progressed(params json.RawMessage) {
	var p struct {
		Token json.RawMessage
		Value struct {
			Kind, Title, Message string
			Cancellable          bool
		}
	}
	if json.Unmarshal(params, &p) != nil {
		return
	}
	token := string(p.Token)
	if p.Value.Kind == "begin" {
		e.progress = append(e.progress, Progress{Token: token, Title: p.Value.Title, Message: p.Value.Message, Cancellable: p.Value.Cancellable})
		return
	}
	i := slices.IndexFunc(e.progress, func(s Progress) bool { return s.Token == token && !s.Done })
	if i < 0 {
		return
	}
	if p.Value.Message != "" {
		e.progress[i].Message = p.Value.Message
	}
	e.progress[i].Done = p.Value.Kind == "end"
}

// applyEdit answers workspace/applyEdit, by the test's script if there is one.
func (e *Editor) applyEdit(ctx context.Context, l *link, id jsonrpc2.ID, params json.RawMessage) (any, error) {
	var p struct{ Edit WorkspaceEdit }
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, jsonrpc2.NewError(jsonrpc2.InvalidParams, err.Error())
	}
	e.mu.Lock()
	script := e.onApply
	e.mu.Unlock()
	if script != nil {
		jsonrpc2.Async(ctx) // a script may wait; everything else goes on
		if answer, handled := script(p.Edit); handled {
			return answer, nil
		}
	}
	if e.profile.Reviews && p.Edit.needsConfirmation() {
		if script == nil {
			jsonrpc2.Async(ctx)
		}
		return e.review(p.Edit)
	}
	if e.profile.LateChanges {
		e.hold(l, id)
	}
	return e.Apply(p.Edit), nil
}

// hold keeps changes back until the answer to request id is written.
func (e *Editor) hold(l *link, id jsonrpc2.ID) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.release()
	e.held = map[*buffer]*edits.Lines{}
	l.stream.afterAnswer(id, func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.release()
	})
}

func (e *Editor) ask(ctx context.Context, params json.RawMessage) (any, error) {
	m := message(params)
	e.mu.Lock()
	e.messages = append(e.messages, m)
	script := e.onAsk
	e.signal()
	e.mu.Unlock()
	if script != nil {
		jsonrpc2.Async(ctx)
		if title := script(m); title != "" {
			return map[string]string{"title": title}, nil
		}
	}
	if e.profile.EmptyDismissal {
		return struct{}{}, nil
	}
	return nil, nil
}

// showDocument notes the document and opens it if it is a file that exists.
func (e *Editor) showDocument(params json.RawMessage) (any, error) {
	var p struct{ URI string }
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, jsonrpc2.NewError(jsonrpc2.InvalidParams, err.Error())
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	defer e.signal()
	key, err := e.keyOf(p.URI)
	if err == nil {
		if _, err = os.Stat(e.onDisk(key)); err == nil {
			var b *buffer
			if b, err = e.load(key); err == nil && !b.attached {
				err = e.attach(b)
			}
		}
	}
	if err == nil {
		e.shown = append(e.shown, p.URI)
	}
	return map[string]bool{"success": err == nil}, nil
}

func (e *Editor) configure(params json.RawMessage) (any, error) {
	var p struct{ Items []struct{ Section string } }
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, fmt.Errorf("configuration: %w", err)
	}
	values := make([]any, len(p.Items))
	for i, item := range p.Items {
		values[i] = e.setup.configuration[item.Section]
	}
	return values, nil
}
