package track

import (
	"strings"

	"redline/edits"
)

// Rebase moves edits of base, in whole lines like those of [edits.Hunk], onto live, a
// version of base that others have changed. out has the edits of live, sorted. made has
// the indices of the edits that live already has: the same new text in the same place,
// between the same lines. conflicts has the indices of the edits without a place in live:
// it changed the same lines in another way, or added lines after a new last line without
// line end. Every edit is in exactly one of the three.
func Rebase(base string, es []edits.Edit, live string) (out []edits.Edit, made, conflicts []int) {
	pieces := make([]edits.Span, len(es))
	for i, e := range es {
		pieces[i] = e.Span
	}
	p, made := Place(base, pieces, live).Switch(func(i int) string { return es[i].New })
	done := made
	for i, e := range es {
		if len(done) > 0 && done[0] == i {
			done = done[1:]
			continue
		}
		span, ok := p.At(i)
		moved := edits.Edit{Span: span, New: e.New}
		if ok && KeepsLines(live, moved) {
			out = append(out, moved)
		} else {
			conflicts = append(conflicts, i)
		}
	}
	return out, made, conflicts
}

// KeepsLines reports whether an edit of whole lines of text leaves the lines around it
// as they are. It does not if it inserts text without a line end and more text follows,
// or if a "\r" and a "\n" would meet. Check it before you make an edit at a good piece
// of a Placement.
func KeepsLines(text string, e edits.Edit) bool {
	before, after := text[:e.Start], text[e.End:]
	if e.New == "" {
		return apart(before, after)
	}
	return apart(before, e.New) && apart(e.New, after)
}

// apart reports whether no line of a continues in b.
func apart(a, b string) bool {
	return a == "" || b == "" || strings.HasSuffix(a, "\n") || strings.HasSuffix(a, "\r") && b[0] != '\n'
}
