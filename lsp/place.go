package lsp

import (
	"go.lsp.dev/protocol"

	"redline/agent"
	"redline/agent/preview"
	"redline/edits"
	"redline/lsp/position"
	"redline/workspace"
)

// place is a range of a document, with the plans of that moment. It is taken on the
// read loop, or just after the start when the plans are known, and does not change.
type place struct {
	position.Mapper
	uri      string
	path     string            // workspace path, "" if it has none
	own      string            // the name among Redline's own files, "" if it is none
	buffer   *workspace.Buffer // nil if it is not open
	at       protocol.Range
	snapshot *agent.Snapshot
}

// places finds places: it has what they are made of.
type places struct {
	mapper    position.Mapper
	workspace *workspace.Workspace
	snapshot  func() *agent.Snapshot
}

func newPlaces(m position.Mapper, w *workspace.Workspace, snapshot func() *agent.Snapshot) places {
	return places{m, w, snapshot}
}

// find returns the place of a range in the document with the given URI.
func (s places) find(uri string, at protocol.Range) place {
	p := place{Mapper: s.mapper, uri: uri, at: at, snapshot: s.snapshot()}
	p.path, _ = s.workspace.PathOf(uri)
	if name, ok := s.workspace.Own().IsDocument(uri); ok {
		p.own = name
	}
	p.buffer, _ = s.workspace.BufferURI(uri)
	return p
}

// files calls yield for each plan that touches the document, and its file.
func (p place) files(yield func(*agent.PlanView, *agent.FileView) bool) {
	if p.path == "" {
		return
	}
	for _, plan := range p.snapshot.Plans {
		for _, f := range plan.Files {
			if (f.Change.Path == p.path || f.Change.NewPath == p.path) && !yield(plan, f) {
				return
			}
		}
	}
}

// hunks calls yield for each wanted hunk on the lines of the place, with its index in
// the file.
func (p place) hunks(f *agent.FileView, wanted func(agent.HunkView) bool, yield func(int, agent.HunkView) bool) {
	lines := p.wholeLines(f.Live)
	for i := range f.Len() {
		if h := f.Hunk(i); wanted(h) && meets(h.Span, lines, len(f.Live.Text())) && !yield(i, h) {
			return
		}
	}
}

// wholeLines is the place widened to whole lines, without the last line end.
// The line at whose start a selection ends is not part of it.
func (p place) wholeLines(lines *edits.Lines) edits.Span {
	s := p.Span(lines, p.at)
	first, last := lines.LineOf(s.Start), lines.LineOf(s.End)
	if last > first && lines.Line(last).Start == s.End {
		last--
	}
	return edits.Span{Start: lines.Line(first).Start, End: lines.Content(last).End}
}

// meets reports whether whole lines of a text touch a hunk. A hunk that only
// inserts is on the line that it goes before; at the end of the text, where
// some editors have no line, on the last line too.
func meets(hunk, lines edits.Span, size int) bool {
	if hunk.Len() > 0 {
		return hunk.Start <= lines.End && lines.Start < hunk.End
	}
	return lines.Start <= hunk.Start && hunk.Start <= lines.End || hunk.Start == size && lines.End+len("\r\n") >= size
}

// preview returns the plan that the document is a preview of, and the revision
// that it shows.
func (p place) preview() (view *agent.PlanView, revision int, ok bool) {
	number, revision, ok := preview.PlanOf(p.own)
	if !ok {
		return nil, 0, false
	}
	for _, view := range p.snapshot.Plans {
		if view.Plan.Number == number {
			return view, revision, true
		}
	}
	return nil, 0, false
}

// previewFile returns the file of the plan whose section of the preview the
// place is in, nil if it is in none.
func (p place) previewFile(view *agent.PlanView) *agent.FileView {
	if p.buffer == nil {
		return nil
	}
	path, ok := preview.SectionAt(p.buffer.Lines.Text(), int(p.at.Start.Line))
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
