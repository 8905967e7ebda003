package apply

import (
	"context"
	"strings"

	"redline/edits"
	"redline/workspace"
)

// linesOf is the text that a change is sent for, with the client's positions. Of
// a file that it has not open it counts a byte order mark if it has done so in
// another.
func (a *Applier) linesOf(s *sending) *edits.Lines {
	switch {
	case s.open != nil:
		return s.open.Lines
	case s.bom && a.keepsMarks.Load():
		return edits.NewLines(edits.BOM + s.before).CutMark()
	}
	return edits.NewLines(s.before)
}

// Opened is called with each document that the client opens. It notes whether the
// client has byte order marks in its texts, which it shows with the first file that
// has one.
func (a *Applier) Opened(b *workspace.Buffer) {
	if b.BOM {
		a.keepsMarks.Store(b.Lines.Marked())
	}
}

// putMarkBack gives a text its byte order mark again, when the client turns out
// to have had it in its text, and has made the edits of the first line over it
// or before it.
func (a *Applier) putMarkBack(ctx context.Context, s *sending) {
	file := a.see(s)
	if s.open != nil || !s.bom || file.Buffer == nil || file.BOM || !a.keepsMarks.Load() {
		return
	}
	want, err := edits.Apply(s.before, s.edits)
	if err != nil || strings.Replace(file.Text, edits.BOM, "", 1) != want {
		return // somebody has typed: how the text begins is theirs to say
	}
	all := edits.Edit{Span: edits.Span{End: len(file.Text)}, New: edits.BOM + want}
	back := &sending{
		change: edits.Change{Path: s.path()}, uri: file.URI, open: file.Buffer,
		existed: true, before: file.Text, edits: edits.Refine(file.Text, all),
	}
	batch := []*sending{back}
	answer, err := a.call(ctx, batch, a.workspaceEdit(batch), a.timeouts.ApplyEdit)
	if err == nil && answer.verdict == accepted {
		ctx, cancel := context.WithTimeout(ctx, a.timeouts.Verify)
		defer cancel()
		a.workspace.AwaitText(ctx, s.path(), func(f workspace.File) bool { return f.BOM })
	}
}
