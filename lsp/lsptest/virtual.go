package lsptest

import (
	"context"
	"encoding/json"
	"fmt"
)

// OpenVirtual shows a document that only the server has, as an editor with workspace/textDocumentContent
// does: it asks the server for the text, and again whenever the server says that it has changed.
func (e *Editor) OpenVirtual(ctx context.Context, uri string) error {
	raw, err := e.Call(ctx, "workspace/textDocumentContent", map[string]string{"uri": uri})
	if err != nil {
		return err
	}
	var content struct {
		Text  *string
		Stale []string
	}
	if err := json.Unmarshal(raw, &content); err != nil || content.Text == nil {
		return fmt.Errorf("the text of %s cannot be read from %s: %w", uri, raw, err)
	}
	e.received.add(func() { e.virtual[uri] = Virtual{*content.Text, content.Stale} })
	return nil
}

// Virtual is a document that only the server has.
type Virtual struct {
	Text  string
	Stale []string // hunks that are left out of it
}

// Virtual returns an open virtual document, the zero value if it is not open.
func (r *received) Virtual(uri string) Virtual {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.virtual[uri]
}

// Refreshes returns how many refresh requests of this method the server has sent.
func (r *received) Refreshes(method string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.refreshes[method]
}

// refreshed handles a refresh request. It asks again for an open virtual document, beside the editor's
// other work.
func (in incoming) refreshed(l *link, method string, params json.RawMessage) {
	var p struct{ URI string }
	_ = json.Unmarshal(params, &p) // the others have no params
	if method == "workspace/diagnostic/refresh" {
		in.e.documents.lookAgain()
	}
	open := false
	in.e.received.add(func() {
		in.e.refreshes[method]++
		_, open = in.e.virtual[p.URI]
	})
	if open {
		go func() { _ = in.e.OpenVirtual(l.ctx, p.URI) }() // what it has is kept if it fails
	}
}
