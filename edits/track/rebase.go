package track

import (
	"strings"

	"redline/edits"
)

// Rebase moves edits of base, each of whole lines as Hunk.Edit gives them,
// onto live, which base has become through somebody else's changes. out are
// the edits of live, sorted. made are the indices of those in es that are no
// more to be made: live has the same new text in the same place, between the
// same lines. conflicts are the indices of those that have no place in live: it
// has changed the same lines in another way, or has put lines after a new last
// line that has no line end. Every edit is in exactly one of the three.
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

// KeepsLines reports whether the edit, which is of whole lines of text, leaves
// the lines around it as they are. It does not if it puts in text without a
// line end and more text follows, or if a "\r" and a "\n" would meet. A good
// piece of a Placement must pass it before an edit is made there.
func KeepsLines(text string, e edits.Edit) bool {
	before, after := text[:e.Start], text[e.End:]
	if e.New == "" {
		return apart(before, after)
	}
	return apart(before, e.New) && apart(e.New, after)
}

// apart reports whether no line of a goes on in b.
func apart(a, b string) bool {
	return a == "" || b == "" || strings.HasSuffix(a, "\n") || strings.HasSuffix(a, "\r") && b[0] != '\n'
}
