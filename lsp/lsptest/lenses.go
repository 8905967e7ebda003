package lsptest

import (
	"context"
	"encoding/json"
	"fmt"
)

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
