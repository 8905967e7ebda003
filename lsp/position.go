package lsp

import (
	"math"

	"go.lsp.dev/protocol"

	"redline/edits"
)

// mapper is the one place where positions of the protocol and byte offsets
// meet.
type mapper struct{ encoding edits.Encoding }

// span returns the bytes that a range of the client covers. What lies outside
// the text counts as its nearest end and a reversed range as empty, since a
// client may ask about a text that it has changed in the meantime.
func (m mapper) span(lines *edits.Lines, r protocol.Range) edits.Span {
	start := m.offset(lines, position(r.Start))
	return edits.Span{Start: start, End: max(start, m.offset(lines, position(r.End)))}
}

// offset returns the byte offset of a position, which must not be negative; a
// line beyond the last counts as the end of the text.
func (m mapper) offset(lines *edits.Lines, p edits.Position) int {
	if p.Line >= lines.Count() {
		return len(lines.Text())
	}
	offset, err := lines.Offset(p, m.encoding)
	if err != nil {
		return len(lines.Text())
	}
	return offset
}

// rangeOf returns the range of a span of bytes.
func (m mapper) rangeOf(lines *edits.Lines, s edits.Span) protocol.Range {
	r := lines.Range(s, m.encoding)
	return protocol.Range{Start: wirePosition(r.Start), End: wirePosition(r.End)}
}

// textEdits returns edits of the text of lines as the protocol spells them.
func (m mapper) textEdits(lines *edits.Lines, es []edits.Edit) []protocol.TextEdit {
	out := make([]protocol.TextEdit, len(es))
	for i, e := range es {
		out[i] = protocol.TextEdit{Range: m.rangeOf(lines, e.Span), NewText: e.New}
	}
	return out
}

func position(p protocol.Position) edits.Position {
	return edits.Position{Line: int(p.Line), Character: int(p.Character)}
}

func wirePosition(p edits.Position) protocol.Position {
	return protocol.Position{Line: clamp32(p.Line), Character: clamp32(p.Character)}
}

// clamp32 keeps a number inside LSP's uinteger (0 to 2³¹-1).
func clamp32(n int) uint32 { return uint32(min(max(n, 0), math.MaxInt32)) }
