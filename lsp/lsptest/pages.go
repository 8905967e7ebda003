package lsptest

import (
	"context"
	"encoding/json"
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
