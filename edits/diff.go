package edits

import (
	"strings"

	"znkr.io/diff"
	"znkr.io/diff/textdiff"
)

// Hunk is one contiguous piece of the difference between two texts, base and
// proposed, in whole lines. It is the finest thing that a user decides on.
type Hunk struct {
	Old, New         Span   // in base and in proposed; one of them may be empty
	OldText, NewText string // the bytes of Old and New
	Added, Removed   int    // how many lines New and Old have
}

// Edit returns the hunk as an edit of base.
func (h Hunk) Edit() Edit { return Edit{h.Old, h.NewText} }

// EditsOf returns the hunks as edits of base, ready for Apply.
func EditsOf(hunks []Hunk) []Edit {
	es := make([]Edit, len(hunks))
	for i, h := range hunks {
		es[i] = h.Edit()
	}
	return es
}

// Diff returns what has to be changed in base to make it proposed, as pieces
// in order with at least one unchanged line between two of them. It returns
// nil if the texts are equal.
func Diff(base, proposed string) []Hunk {
	if base == proposed {
		return nil
	}
	x, y := NewLines(base), NewLines(proposed)
	var hunks []Hunk
	add := func(x0, x1, y0, y1 int) {
		was := Span{x.start(x0), x.start(x1)}
		is := Span{y.start(y0), y.start(y1)}
		hunks = append(hunks, Hunk{
			Old: was, New: is,
			OldText: was.of(base), NewText: is.of(proposed),
			Added: y1 - y0, Removed: x1 - x0,
		})
	}
	if hasLoneCR(base) || hasLoneCR(proposed) {
		for _, h := range diff.Hunks(splitLines(base), splitLines(proposed), diff.Context(0)) {
			add(h.PosX, h.EndX, h.PosY, h.EndY)
		}
		return hunks
	}
	// This one knows only "\n", but places a hunk that could be in several
	// places where a reader would.
	for _, h := range textdiff.Hunks(base, proposed, diff.Context(0), textdiff.IndentHeuristic()) {
		add(h.LineNoX, h.EndLineNoX, h.LineNoY, h.EndLineNoY)
	}
	return hunks
}

// hasLoneCR reports whether a line of text ends with "\r" alone.
func hasLoneCR(text string) bool {
	return strings.Count(text, "\r") > strings.Count(text, "\r\n")
}
