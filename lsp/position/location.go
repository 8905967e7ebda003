package position

import (
	"iter"

	"go.lsp.dev/protocol"

	"redline/agent/preview"
	"redline/agent/view"
	"redline/edits"
	"redline/workspace"
)

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
