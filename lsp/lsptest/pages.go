package lsptest

import (
	"context"
	"encoding/json"
	"fmt"
)

// Completion is a completion item, which replaces a range.
type Completion struct {
	Label         string `json:"label"`
	Detail        string `json:"detail"`
	FilterText    string `json:"filterText"`
	Documentation string `json:"documentation"`
	TextEdit      struct {
		Range   Range  `json:"range"`
		NewText string `json:"newText"`
	} `json:"textEdit"`
}

// Complete asks for the completions at a position; nil if the server has none to offer there.
func (q *requests) Complete(ctx context.Context, path string, at Position) ([]Completion, error) {
	raw, err := q.call(ctx, "textDocument/completion", map[string]any{
		"textDocument": map[string]string{"uri": q.uri(path)}, "position": at, "context": map[string]int{"triggerKind": 1},
	})
	if err != nil {
		return nil, err
	}
	var list struct{ Items []Completion }
	return list.Items, json.Unmarshal(raw, &list)
}

// DocumentLink is a link from a range of a document to another document.
type DocumentLink struct {
	Range  Range  `json:"range"`
	Target string `json:"target"`
}

// DocumentLinks asks for the links of a file; nil if the server answers null.
func (q *requests) DocumentLinks(ctx context.Context, path string) ([]DocumentLink, error) {
	var links []DocumentLink
	return links, q.page(ctx, "textDocument/documentLink", path, &links)
}

// Symbol is a part of a document's outline.
type Symbol struct {
	Name     string   `json:"name"`
	Detail   string   `json:"detail"`
	Range    Range    `json:"range"`
	Children []Symbol `json:"children"`
}

// Symbols asks for the outline of a file; nil if the server answers null.
func (q *requests) Symbols(ctx context.Context, path string) ([]Symbol, error) {
	var symbols []Symbol
	return symbols, q.page(ctx, "textDocument/documentSymbol", path, &symbols)
}

// Fold is a foldable part of a document, from its first to its last line.
type Fold struct{ StartLine, EndLine int }

// Folds asks for the foldable parts of a file; nil if the server answers null.
func (q *requests) Folds(ctx context.Context, path string) ([]Fold, error) {
	var folds []Fold
	return folds, q.page(ctx, "textDocument/foldingRange", path, &folds)
}

func (q *requests) page(ctx context.Context, method, path string, into any) error {
	raw, err := q.call(ctx, method, map[string]any{"textDocument": map[string]string{"uri": q.uri(path)}})
	if err != nil {
		return err
	}
	return json.Unmarshal(raw, into)
}

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

// Lens is a code lens.
type Lens struct {
	Range   Range    `json:"range"`
	Command *Command `json:"command"`
}

// requests asks the server about a document.
type requests struct {
	call func(ctx context.Context, method string, params any) (json.RawMessage, error)
	uri  func(path string) string
}

// CodeLenses asks for the code lenses of a file, in the server's order. A lens without a command is an
// error, since this editor resolves nothing.
func (q *requests) CodeLenses(ctx context.Context, path string) ([]Lens, error) {
	var lenses []Lens
	err := q.list(ctx, "textDocument/codeLens", map[string]any{"textDocument": map[string]string{"uri": q.uri(path)}}, &lenses)
	for _, l := range lenses {
		if l.Command == nil || l.Range.Start.Line != l.Range.End.Line {
			return nil, fmt.Errorf("a lens of %s cannot be shown: %+v", path, l)
		}
	}
	return lenses, err
}

// RunLens does what clicking the lens does, and returns the command's result.
func (e *Editor) RunLens(ctx context.Context, l Lens) (json.RawMessage, error) {
	return e.execute(ctx, l.Command.Command, l.Command.Arguments)
}

// Hint is an inlay hint.
type Hint struct {
	Position Position `json:"position"`
	Label    string   `json:"label"`
}

// InlayHints asks for the inlay hints in a range of a file.
func (q *requests) InlayHints(ctx context.Context, path string, r Range) ([]Hint, error) {
	var hints []Hint
	return hints, q.list(ctx, "textDocument/inlayHint", map[string]any{
		"textDocument": map[string]string{"uri": q.uri(path)}, "range": r,
	}, &hints)
}

// list asks for a list; the answer must be a list even when it is empty.
func (q *requests) list(ctx context.Context, method string, params, into any) error {
	raw, err := q.call(ctx, method, params)
	if err != nil {
		return err
	}
	if len(raw) == 0 || raw[0] != '[' {
		return fmt.Errorf("%s was answered with %s", method, raw)
	}
	return json.Unmarshal(raw, into)
}
