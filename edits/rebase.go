package edits

import "strings"

// Rebase moves edits of base, each of whole lines as Hunk.Edit gives them,
// onto live, which base has become through somebody else's changes. out are
// the edits of live, sorted; conflicts are the indices of those in es that
// have no place there: live has changed the same lines, or has put lines after
// a new last line that has no line end.
func Rebase(base string, es []Edit, live string) (out []Edit, conflicts []int) {
	pieces := make([]Span, len(es))
	for i, e := range es {
		pieces[i] = e.Span
	}
	p := Place(base, pieces, live)
	for i, e := range es {
		span, ok := p.At(i)
		moved := Edit{span, e.New}
		if ok && KeepsLines(live, moved) {
			out = append(out, moved)
		} else {
			conflicts = append(conflicts, i)
		}
	}
	return out, conflicts
}

// KeepsLines reports whether the edit, which is of whole lines of text, leaves
// the lines around it as they are. It does not if it puts in text without a
// line end and more text follows, or if a "\r" and a "\n" would meet. A good
// piece of a Placement must pass it before an edit is made there.
func KeepsLines(text string, e Edit) bool {
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
