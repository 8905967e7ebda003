package lsptest

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"go.lsp.dev/jsonrpc2"
)

// incoming handles what the server sends.
type incoming struct{ e *Editor }

// handle handles the server's notifications and requests, in the order in which they arrive.
func (in incoming) handle(ctx context.Context, l *link, req *jsonrpc2.Request) (any, error) {
	method := strings.Clone(req.Method())
	params := json.RawMessage(slices.Clone(req.Params()))
	if !req.IsCall() {
		in.notified(method, params)
		return nil, nil
	}
	if in.e.profile.Silent || slices.Contains(in.e.profile.Unanswered, method) {
		in.requestedInVain(method, params)
		jsonrpc2.Async(ctx)
		<-l.ctx.Done()
		return nil, l.ctx.Err()
	}
	switch method {
	case "workspace/applyEdit":
		return in.applyEdit(ctx, l, req.ID(), params)
	case "window/showMessageRequest":
		if in.e.profile.ShowMessageRequest {
			return in.ask(ctx, params)
		}
	case "window/showDocument":
		switch {
		case in.e.profile.ShowErrs:
			return nil, jsonrpc2.NewError(jsonrpc2.InternalError, "no window for it")
		case in.e.profile.ShowFails:
			return map[string]bool{"success": false}, nil
		case in.e.profile.ShowDocument:
			return in.showDocument(params)
		}
	case "workspace/configuration":
		return in.configure(params)
	case "workspace/textDocumentContent/refresh":
		if in.e.profile.VirtualDocuments {
			in.refreshed(l, method, params)
			return nil, nil
		}
	case "workspace/diagnostic/refresh":
		if in.e.profile.PullDiagnostics && in.e.profile.Refreshes {
			in.refreshed(l, method, params)
			return nil, nil
		}
	case "workspace/codeLens/refresh", "workspace/inlayHint/refresh":
		if in.e.profile.Refreshes {
			in.refreshed(l, method, params)
			return nil, nil
		}
	case "client/registerCapability", "client/unregisterCapability", "window/workDoneProgress/create":
		return nil, nil
	}
	return nil, jsonrpc2.NewError(jsonrpc2.MethodNotFound, "no method "+method)
}

func (in incoming) notified(method string, params json.RawMessage) {
	switch method {
	case "textDocument/publishDiagnostics":
		in.e.published(params)
	case "window/showMessage":
		in.e.received.add(func() { in.e.messages = append(in.e.messages, message(params)) })
	case "$/progress":
		in.e.received.add(func() { in.e.received.progressed(params) })
	case "redline/event":
		in.e.received.add(func() { in.e.events = append(in.e.events, params) })
	default:
		in.e.news.signal()
	}
}

// requestedInVain records what a user would have seen of a request that is never answered.
func (in incoming) requestedInVain(method string, params json.RawMessage) {
	if method == "window/showMessageRequest" {
		in.e.received.add(func() { in.e.messages = append(in.e.messages, message(params)) })
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
	if e.profile.ExactDiagnostics && p.Version != nil && e.documents.outdated(key, *p.Version) {
		return
	}
	e.received.add(func() { e.diagnostics[key] = p.Diagnostics })
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

// progressed records a progress; the caller holds r.mu.
func (r *received) progressed(params json.RawMessage) {
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
		r.progress = append(r.progress, Progress{Token: token, Title: p.Value.Title, Message: p.Value.Message, Cancellable: p.Value.Cancellable})
		return
	}
	i := slices.IndexFunc(r.progress, func(s Progress) bool { return s.Token == token && !s.Done })
	if i < 0 {
		return
	}
	if p.Value.Message != "" {
		r.progress[i].Message = p.Value.Message
	}
	r.progress[i].Done = p.Value.Kind == "end"
}

// applyEdit answers workspace/applyEdit, by the test's script if there is one.
func (in incoming) applyEdit(ctx context.Context, l *link, id jsonrpc2.ID, params json.RawMessage) (any, error) {
	var p struct{ Edit WorkspaceEdit }
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, jsonrpc2.NewError(jsonrpc2.InvalidParams, err.Error())
	}
	script := in.e.scripts.onApply.now()
	if script != nil {
		jsonrpc2.Async(ctx) // a script may wait; everything else continues
		if answer, handled := script(p.Edit); handled {
			return answer, nil
		}
	}
	if in.e.profile.Reviews && p.Edit.needsConfirmation() {
		if script == nil {
			jsonrpc2.Async(ctx)
		}
		return in.review(p.Edit)
	}
	if in.e.profile.LateChanges {
		in.hold(l, id)
	}
	return in.e.Apply(p.Edit), nil
}

// hold keeps changes back until the answer to request id is written.
func (in incoming) hold(l *link, id jsonrpc2.ID) {
	in.e.documents.holdBack()
	l.stream.afterAnswer(id, in.e.documents.letGo)
}

func (in incoming) ask(ctx context.Context, params json.RawMessage) (any, error) {
	m := message(params)
	script := in.e.scripts.onAsk.now()
	in.e.received.add(func() { in.e.messages = append(in.e.messages, m) })
	if script != nil {
		jsonrpc2.Async(ctx)
		if title := script(m); title != "" {
			return map[string]string{"title": title}, nil
		}
	}
	if in.e.profile.EmptyDismissal {
		return struct{}{}, nil
	}
	return nil, nil
}

// showDocument records the document, and opens it if it is an existing file.
func (in incoming) showDocument(params json.RawMessage) (any, error) {
	var p struct{ URI string }
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, jsonrpc2.NewError(jsonrpc2.InvalidParams, err.Error())
	}
	err := in.e.documents.show(p.URI)
	in.e.received.add(func() {
		if err == nil {
			in.e.received.shown = append(in.e.received.shown, p.URI)
		}
	})
	return map[string]bool{"success": err == nil}, nil
}

func (in incoming) configure(params json.RawMessage) (any, error) {
	var p struct{ Items []struct{ Section string } }
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, fmt.Errorf("configuration: %w", err)
	}
	values := make([]any, len(p.Items))
	for i, item := range p.Items {
		values[i] = in.e.setup.configuration[item.Section]
	}
	return values, nil
}
