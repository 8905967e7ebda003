package lsp

import (
	"context"
	"strings"

	"go.lsp.dev/protocol"

	"redline/lsp/position"
	"redline/lsp/wire"
)

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
