// Package position converts between positions of the protocol, which count the characters of a
// line in the encoding that the client has chosen, and byte offsets ([Mapper]). It finds what a
// request is about in the workspace: a document, a range in it, and the plans that touch it
// ([Location]). It also adds ranges to the plans that the agent reports: lsp and the command line
// send the same JSON, and this is the only package that both import and that knows encodings.
package position

import (
	"iter"
	"math"
	"slices"

	"go.lsp.dev/protocol"

	"redline/agent/plan"
	"redline/agent/preview"
	"redline/agent/state"
	"redline/agent/view"
	"redline/edits"
	"redline/edits/intraline"
	"redline/workspace"
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

// Plan returns a copy of p in which each hunk has its range, as the client counts it, and its rows
// if it has a text, or nil for nil. The agent knows only bytes: whoever sends a plan, over LSP or on the command line, calls
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
			h := &f.Hunks[j]
			h.Range = m.HunkRange(f.Lines, h.Span)
			if h.NewText != nil && h.Status != string(plan.HunkStale) {
				h.Rows = m.Rows(h.Span.Of(f.Lines.Text()), *h.NewText)
			}
		}
	}
	if p.Problems != nil {
		problems := *p.Problems
		problems.Added = slices.Clone(problems.Added)
		for i := range problems.Added {
			at := &problems.Added[i]
			at.Range = state.NewRange(m.place(at.In.Start, at.In.BeforeStart), m.place(at.In.End, at.In.BeforeEnd))
		}
		placed.Problems = &problems
	}
	return &placed
}

// place returns the position of a place in the client's encoding. before is what is before it in its line, "" for ASCII.
func (m Mapper) place(at plan.Place, before string) state.Position {
	column := at.Column
	if before != "" {
		column = edits.NewLines(before).Position(len(before), m.Encoding).Character
	}
	return state.Position{Line: at.Line, Character: column}
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

// Rows returns the lines of a hunk from its texts, for the JSON of a plan.
func (m Mapper) Rows(oldText, newText string) []state.Row {
	old, new := edits.NewLines(oldText), edits.NewLines(newText)
	column := func(lines *edits.Lines, line, at int) int {
		return lines.Position(lines.Start(line)+at, m.Encoding).Character
	}
	all := intraline.Rows(oldText, newText)
	rows := make([]state.Row, len(all))
	for i, row := range all {
		rows[i].Kind = string(row.Kind)
		if row.Old >= 0 {
			rows[i].Old = &all[i].Old
		}
		if row.New >= 0 {
			rows[i].New = &all[i].New
		}
		for _, c := range row.Changes {
			rows[i].Changes = append(rows[i].Changes, [4]int{
				column(old, row.Old, c.Old.Start), column(old, row.Old, c.Old.End),
				column(new, row.New, c.New.Start), column(new, row.New, c.New.End),
			})
		}
	}
	return rows
}

// Location is a range of a document, and a snapshot of the plans. It never changes: a
// request takes it on the read loop and uses it off the loop.
type Location struct {
	Mapper
	URI       string            // as the client spells it
	Path      string            // workspace path, "" if it has none
	Own       string            // the name among Redline's own files, "" if it is not one
	Buffer    *workspace.Buffer // nil if the document is not open
	Selection protocol.Range
	Snapshot  *view.Snapshot
}

// TextDocument is TextDocumentIdentifier with the URI as the client spells it.
type TextDocument struct {
	URI string `json:"uri"`
}

// Finder makes locations.
type Finder struct {
	mapper    Mapper
	workspace *workspace.Workspace
	snapshot  func() *view.Snapshot
}

// NewFinder returns a finder of locations in w. It calls snapshot for the plans of each.
func NewFinder(m Mapper, w *workspace.Workspace, snapshot func() *view.Snapshot) Finder {
	return Finder{m, w, snapshot}
}

// Find returns the location of a range in a document, as it is now.
func (f Finder) Find(uri string, selection protocol.Range) Location {
	l := Location{Mapper: f.mapper, URI: uri, Selection: selection, Snapshot: f.snapshot()}
	l.Path, _ = f.workspace.PathOf(uri)
	if name, ok := f.workspace.Own().IsDocument(uri); ok {
		l.Own = name
	}
	l.Buffer, _ = f.workspace.BufferURI(uri)
	return l
}

// Files yields each plan that touches the document, with its file.
func (l Location) Files(yield func(*view.Plan, *view.File) bool) {
	if l.Path == "" {
		return
	}
	for _, plan := range l.Snapshot.Plans {
		for _, f := range plan.Files {
			if (f.Change.Path == l.Path || f.Change.NewPath == l.Path) && !yield(plan, f) {
				return
			}
		}
	}
}

// Hunks returns the wanted hunks on the lines of the selection, with their index in the file.
func (l Location) Hunks(f *view.File, wanted func(view.Hunk) bool) iter.Seq2[int, view.Hunk] {
	return func(yield func(int, view.Hunk) bool) {
		lines := l.WholeLines(f.Live)
		for i := range f.Len() {
			if h := f.Hunk(i); wanted(h) && meets(h.Span, lines, len(f.Live.Text())) && !yield(i, h) {
				return
			}
		}
	}
}

// WholeLines returns the selection widened to whole lines, without the last line end.
// The line at whose start the selection ends is not part of it.
func (l Location) WholeLines(lines *edits.Lines) edits.Span {
	s := l.Span(lines, l.Selection)
	first, last := lines.LineOf(s.Start), lines.LineOf(s.End)
	if last > first && lines.Line(last).Start == s.End {
		last--
	}
	return edits.Span{Start: lines.Line(first).Start, End: lines.Content(last).End}
}

// meets reports whether a hunk is on the given whole lines of a text of size bytes. A hunk that
// only inserts is on the line that it goes before. A hunk at the end of the text is on the last
// line too, since some editors have no line after that.
func meets(hunk, lines edits.Span, size int) bool {
	if hunk.Len() > 0 {
		return hunk.Start <= lines.End && lines.Start < hunk.End
	}
	return lines.Start <= hunk.Start && hunk.Start <= lines.End || hunk.Start == size && lines.End+len("\r\n") >= size
}

// Preview returns the plan whose preview the document is, and the revision that it shows.
func (l Location) Preview() (v *view.Plan, revision int, ok bool) {
	number, revision, ok := view.PreviewOf(l.Own)
	if !ok {
		return nil, 0, false
	}
	v = l.Snapshot.Plan(number)
	return v, revision, v != nil
}

// PreviewFile returns the file of the plan in whose section of the preview the selection begins,
// nil if it begins in none.
func (l Location) PreviewFile(view *view.Plan) *view.File {
	if l.Buffer == nil {
		return nil
	}
	path, ok := preview.SectionAt(l.Buffer.Lines.Text(), int(l.Selection.Start.Line))
	if !ok {
		return nil
	}
	for _, f := range view.Files {
		if f.Change.Path == path {
			return f
		}
	}
	return nil
}
