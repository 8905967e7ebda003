package lsp

import (
	"context"

	"go.lsp.dev/protocol"

	"redline/edits"
	"redline/lsp/pages"
	"redline/lsp/window"
	"redline/lsp/wire"
)

// documentSymbol lists the sections of a page (LSP 3.18, "Document Symbols Request"). The
// detail of a chat message is its first line.
func (s *session) documentSymbol(_ context.Context, p *documentParams) (wire.Run, error) {
	at := s.locations.Find(p.TextDocument.URI, protocol.Range{})
	headings, ok := headingsOf(s.workspace, at)
	if !ok {
		return nothing, nil
	}
	return func(context.Context) (any, error) {
		lines := at.Buffer.Lines
		var list []protocol.DocumentSymbol
		var inside []*[]protocol.DocumentSymbol // the list that takes symbols of each depth
		depths := []int{}
		for _, h := range headings() {
			name := edits.ExpandTabs(edits.Visible(h.Name), 0)
			if name == "" {
				continue // some clients refuse a symbol without a name
			}
			first := lines.Content(h.Line - 1)
			whole := edits.Span{Start: first.Start, End: lines.Content(min(h.End, lines.Count()) - 1).End}
			symbol := protocol.DocumentSymbol{
				Name: name, Kind: protocol.SymbolKindString,
				Range: at.Range(lines, whole), SelectionRange: at.Range(lines, first),
			}
			if said, _ := window.Excerpt(lines.Text()[first.End:whole.End]); at.Own == pages.ChatFile && h.Depth == 1 && said != "" {
				said = edits.Visible(said)
				symbol.Detail = &said
			}
			for len(depths) > 0 && depths[len(depths)-1] >= h.Depth {
				depths, inside = depths[:len(depths)-1], inside[:len(inside)-1]
			}
			into := &list
			if len(inside) > 0 {
				into = inside[len(inside)-1]
			}
			*into = append(*into, symbol)
			depths = append(depths, h.Depth)
			inside = append(inside, &(*into)[len(*into)-1].Children)
		}
		return wire.EncodeList(list)
	}, nil
}
