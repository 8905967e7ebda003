// Package position converts between positions of the protocol, which count the characters of a
// line in the encoding that the client has chosen, and byte offsets. It also adds ranges to the
// plans that the agent reports: lsp and the command line send the same JSON, and this is the
// only package that both import and that knows encodings.
package position

import (
	"math"

	"go.lsp.dev/protocol"

	"redline/edits"
)

// Mapper converts the positions and ranges of one client.
type Mapper struct{ Encoding edits.Encoding }

// Span returns the bytes that a range of the client covers. A position outside the text counts
// as the nearest end, and a reversed range as empty, since a client may ask about a text that it
// has changed in the meantime.
func (m Mapper) Span(lines *edits.Lines, r protocol.Range) edits.Span {
	start := m.Offset(lines, fromWire(r.Start))
	return edits.Span{Start: start, End: max(start, m.Offset(lines, fromWire(r.End)))}
}

// Offset returns the byte offset of a position, which must not be negative. A line beyond the
// last counts as the end of the text.
func (m Mapper) Offset(lines *edits.Lines, p edits.Position) int {
	if p.Line >= lines.Count() {
		return len(lines.Text())
	}
	offset, err := lines.Offset(p, m.Encoding)
	if err != nil {
		return len(lines.Text())
	}
	return offset
}

// Range returns the range of a span of bytes.
func (m Mapper) Range(lines *edits.Lines, s edits.Span) protocol.Range {
	r := lines.Range(s, m.Encoding)
	return protocol.Range{Start: toWire(r.Start), End: toWire(r.End)}
}

// TextEdits returns edits of the text of lines as TextEdits of the protocol.
func (m Mapper) TextEdits(lines *edits.Lines, es []edits.Edit) []protocol.TextEdit {
	out := make([]protocol.TextEdit, len(es))
	for i, e := range es {
		out[i] = protocol.TextEdit{Range: m.Range(lines, e.Span), NewText: e.New}
	}
	return out
}

func fromWire(p protocol.Position) edits.Position {
	return edits.Position{Line: int(p.Line), Character: int(p.Character)}
}

func toWire(p edits.Position) protocol.Position {
	return protocol.Position{Line: Clamp(p.Line), Character: Clamp(p.Character)}
}

// Clamp returns the number nearest to n within LSP's uinteger (0 to 2³¹-1).
func Clamp(n int) uint32 { return uint32(min(max(n, 0), math.MaxInt32)) }
