package language

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"go.lsp.dev/protocol"
)

// Bounds of an outline.
const (
	maxSymbols = 10_000
	maxDepth   = 50
)

// Symbol is a declaration in a file.
type Symbol struct {
	Name       string
	Kind       string // "function", as LSP names it (LSP 3.18, "SymbolKind")
	Start, End Place  // of all of it
	Depth      int    // 0 at the top, one more inside each enclosing symbol
}

// symbolKinds are the names of the kinds, from 1.
var symbolKinds = []string{
	"file", "module", "namespace", "package", "class", "method", "property", "field", "constructor", "enum", "interface", "function",
	"variable", "constant", "string", "number", "boolean", "array", "object", "key", "null", "enum member", "struct", "event", "operator", "type parameter",
}

func kindName(k protocol.SymbolKind) string {
	if k < 1 || int(k) > len(symbolKinds) {
		return "symbol"
	}
	return symbolKinds[k-1]
}

// Symbols returns the declarations in a file, in the order of their places. The error is a part of a sentence.
func (c *Client) Symbols(ctx context.Context, path string) ([]Symbol, error) {
	params, err := c.at(ctx, path, Place{})
	if err != nil {
		return nil, err
	}
	var result protocol.DocumentSymbolResult
	if err := c.conn.Call(ctx, protocol.MethodTextDocumentDocumentSymbol, &protocol.DocumentSymbolParams{TextDocument: params.TextDocument}, &result); err != nil {
		return nil, c.reason("it does not know the file's symbols", err)
	}
	lines, err := c.lines(path)
	if err != nil {
		return nil, err
	}
	var all []Symbol
	add := func(name string, kind protocol.SymbolKind, r protocol.Range, depth int) {
		if len(all) <= maxSymbols {
			all = append(all, Symbol{clip(name), kindName(kind), c.place(lines, r.Start), c.place(lines, r.End), depth})
		}
	}
	var below func(of []protocol.DocumentSymbol, depth int)
	below = func(of []protocol.DocumentSymbol, depth int) {
		for i := range of {
			add(of[i].Name, of[i].Kind, of[i].Range, depth)
			if depth < maxDepth {
				below(of[i].Children, depth+1)
			}
		}
	}
	switch result := result.(type) {
	case protocol.DocumentSymbolSlice:
		below(result, 0)
	case protocol.SymbolInformationSlice:
		for i := range result {
			if at, ok := pathOf(result[i].Location.URI); ok && at == path {
				add(result[i].Name, result[i].Kind, result[i].Location.Range, 0)
			}
		}
	}
	if len(all) > maxSymbols {
		return nil, fmt.Errorf("it has more than %d symbols", maxSymbols)
	}
	slices.SortStableFunc(all, func(a, b Symbol) int {
		return cmp.Or(cmp.Compare(a.Start.Line, b.Start.Line), cmp.Compare(a.Start.Column, b.Start.Column), cmp.Compare(a.Depth, b.Depth))
	})
	return all, nil
}
