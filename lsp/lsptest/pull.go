package lsptest

import (
	"encoding/json"
	"slices"

	"go.lsp.dev/jsonrpc2"

	"redline/internal/tasks"
)

// puller asks for the diagnostics of open documents and of the workspace, beside the editor's other
// work: whenever a document is opened or changed, and when the server sends a refresh.
type puller struct {
	wake      tasks.Signal
	workspace bool // the server tells those of the whole workspace too
	ids       map[string]string
}

// startPulling starts pulling diagnostics if this editor does that and the server offers it.
func (e *Editor) startPulling(l *link) {
	var result struct {
		Capabilities struct {
			DiagnosticProvider *struct{ WorkspaceDiagnostics bool }
		}
	}
	if !e.profile.PullDiagnostics || json.Unmarshal(e.result, &result) != nil || result.Capabilities.DiagnosticProvider == nil {
		return
	}
	p := &puller{tasks.NewSignal(), result.Capabilities.DiagnosticProvider.WorkspaceDiagnostics, map[string]string{}}
	e.documents.pullBy(p)
	go func() {
		for p.wake.Wait(l.ctx) {
			e.pull(l, p)
		}
	}()
}

func (d *documents) pullBy(p *puller) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.puller = p
}

// lookAgain makes the editor ask for the diagnostics soon.
func (d *documents) lookAgain() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.puller.look()
}

// attachedURIs returns the documents that have a buffer, and whether the server knows each.
func (d *documents) attachedURIs() map[string]bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	open := map[string]bool{}
	for _, b := range d.buffers {
		open[b.uri] = b.attached
	}
	return open
}

// look makes the puller ask for the diagnostics soon; a nil puller does nothing.
func (p *puller) look() {
	if p != nil {
		p.wake.Set()
	}
}

// pull asks for all diagnostics that the editor shows.
func (e *Editor) pull(l *link, p *puller) {
	open := e.documents.attachedURIs()
	for uri := range p.ids {
		if !e.received.hasPulled(e.named(uri)) { // it was dropped when the document was closed
			delete(p.ids, uri)
		}
	}
	for uri, attached := range open {
		if !attached {
			continue
		}
		params := map[string]any{"textDocument": map[string]string{"uri": uri}, "previousResultId": p.ids[uri]}
		var r report
		if l.ask("textDocument/diagnostic", params, &r) == nil {
			e.pulledOf(p, uri, r)
		}
	}
	if !p.workspace {
		return
	}
	previous := []map[string]string{}
	for uri, id := range p.ids {
		if !open[uri] {
			previous = append(previous, map[string]string{"uri": uri, "value": id})
		}
	}
	var all struct {
		Items []struct {
			URI string
			report
		}
	}
	if l.ask("workspace/diagnostic", map[string]any{"previousResultIds": previous}, &all) != nil {
		return
	}
	for _, item := range all.Items {
		if !open[item.URI] {
			e.pulledOf(p, item.URI, item.report)
		}
	}
}

// ask sends a request like Call, but does not let go of changes that are held back.
func (l *link) ask(method string, params, result any) error {
	var raw jsonrpc2.RawMessage
	if _, err := l.conn.Call(l.ctx, method, params, &raw); err != nil {
		return err
	}
	return json.Unmarshal(raw, result)
}

// report is the report of one document.
type report struct {
	Kind     string
	ResultID string
	Items    []Diagnostic
}

// pulledOf stores the report of one document.
func (e *Editor) pulledOf(p *puller, uri string, r report) {
	if p.ids[uri] = r.ResultID; r.ResultID == "" {
		delete(p.ids, uri)
	}
	e.received.add(func() {
		if r.Kind == "full" { // else it is what the editor has
			e.pulled[e.named(uri)] = slices.Clone(r.Items)
		}
	})
}

// named returns the name under which the diagnostics of a document are kept.
func (r root) named(uri string) string {
	if key, err := r.keyOf(uri); err == nil {
		return key
	}
	return uri
}
