// Package position converts between positions of the protocol, which count the characters of a
// line in the encoding that the client has chosen, and byte offsets ([Mapper]). It finds what a
// request is about in the workspace: a document, a range in it, and the plans that touch it
// ([Location]). It also adds ranges to the plans that the agent reports: lsp and the command line
// send the same JSON, and this is the only package that both import and that knows encodings.
package position

import (
	"math"
	"slices"

	"go.lsp.dev/protocol"

	"redline/agent/state"
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

// Plan returns a copy of p in which each hunk has its range, as the client counts it, or nil for
// nil. The agent knows only bytes: whoever sends a plan, over LSP or on the command line, calls
// Plan first. Plan does not change p, since others may read it.
func (m Mapper) Plan(p *state.Plan) *state.Plan {
	if p == nil {
		return nil
	}
	placed := *p
	placed.Files = slices.Clone(p.Files)
	for i := range placed.Files {
		f := &placed.Files[i]
		f.Hunks = slices.Clone(f.Hunks)
		for j := range f.Hunks {
			f.Hunks[j].Range = m.HunkRange(f.Lines, f.Hunks[j].Span)
		}
	}
	return &placed
}

// Plans calls [Mapper.Plan] for each plan of a list.
func (m Mapper) Plans(plans []state.Plan) []state.Plan {
	placed := make([]state.Plan, len(plans))
	for i := range plans {
		placed[i] = *m.Plan(&plans[i])
	}
	return placed
}

// Event returns e with [Mapper.Plan] applied to its plan, if it has one.
func (m Mapper) Event(e state.Event) state.Event {
	e.Plan = m.Plan(e.Plan)
	return e
}

// HunkRange returns the range of a hunk, for the JSON of a plan.
func (m Mapper) HunkRange(lines *edits.Lines, s edits.Span) state.Range {
	r := lines.Range(s, m.Encoding)
	return state.NewRange(state.Position(r.Start), state.Position(r.End))
}
