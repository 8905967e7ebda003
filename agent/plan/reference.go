package plan

import (
	"strings"

	"redline/edits"
)

// Reference returns the text of a file with the applied part of the plan: base with the new
// lines of the applied hunks. pieces has, for each hunk, its whole lines in that text: its new
// ones if it is applied, else its old ones. The hunks must be those of base → proposed, by
// position.
//
// If nothing is applied it is base, if everything is applied it is proposed.
func Reference(base, proposed string, hunks []Hunk, applied func(id string) bool) (text string, pieces []edits.Span) {
	var b strings.Builder
	pieces = make([]edits.Span, len(hunks))
	at := 0
	for i, h := range hunks {
		b.WriteString(base[at:h.Old.Start])
		pieces[i].Start = b.Len()
		if applied(h.ID) {
			b.WriteString(proposed[h.New.Start:h.New.End])
		} else {
			b.WriteString(base[h.Old.Start:h.Old.End])
		}
		pieces[i].End = b.Len()
		at = h.Old.End
	}
	b.WriteString(base[at:])
	return b.String(), pieces
}
