package lsp

import (
	"context"
	"strings"

	"go.lsp.dev/protocol"

	"redline/agent/conversation"
	"redline/agent/view"
	"redline/edits"
	"redline/lsp/pages"
	"redline/lsp/position"
	"redline/lsp/window"
	"redline/lsp/wire"
	"redline/workspace"
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

// foldingRange folds the sections of a page and the fences in them (LSP 3.18, "Folding
// Range Request").
func (s *session) foldingRange(_ context.Context, p *documentParams) (wire.Run, error) {
	at := s.locations.Find(p.TextDocument.URI, protocol.Range{})
	headings, ok := headingsOf(s.workspace, at)
	if !ok {
		return nothing, nil
	}
	return func(context.Context) (any, error) {
		var list []protocol.FoldingRange
		fold := func(first, last int) {
			if last > first {
				list = append(list, protocol.FoldingRange{StartLine: position.Clamp(first), EndLine: position.Clamp(last)})
			}
		}
		for _, h := range headings() {
			fold(h.Line-1, h.End-1)
		}
		open, fence := -1, ""
		lines := at.Buffer.Lines
		for i := range lines.Count() {
			c := lines.Content(i)
			line := strings.TrimLeft(lines.Text()[c.Start:c.End], " \t")
			switch run := len(line) - len(strings.TrimLeft(line, "`")); {
			case open < 0 && run >= 3:
				open, fence = i, line[:run]
			case open >= 0 && run >= len(fence) && strings.TrimRight(line[run:], " \t") == "":
				fold(open, i)
				open = -1
			}
		}
		return wire.EncodeList(list)
	}, nil
}

// headingsOf returns a function that finds the headings of the chat file, a preview or a trace; call
// it off the read loop. ok is false for other documents: the answer is then null, since an
// empty list would replace what an editor finds by itself.
func headingsOf(w *workspace.Workspace, at position.Location) (headings func() []workspace.Symbol, ok bool) {
	_, _, isPreview := view.PreviewOf(at.Own)
	if at.Buffer == nil || !isPreview && at.Own != pages.ChatFile && at.Own != conversation.TracePage {
		return nil, false
	}
	return func() []workspace.Symbol { return w.Outline(at.Own, at.Buffer.Lines.Text()) }, true
}
