package edits

import (
	"znkr.io/diff"
	"znkr.io/diff/textdiff"

	"redline/edits/internal/linetext"
)

// Hunk is one contiguous piece of the difference between two texts, base and proposed,
// in whole lines. It is the smallest unit that a user decides on.
type Hunk struct {
	Old, New         Span   // in base and in proposed; one of them may be empty
	OldText, NewText string // the bytes of Old and New
	Added, Removed   int    // numbers of lines in New and Old
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

// Diff returns the hunks that turn base into proposed, in order, with at least one
// unchanged line between two of them. It returns nil if the texts are equal.
func Diff(base, proposed string) []Hunk { return diffWithin(base, proposed, usualBounds) }

func diffWithin(base, proposed string, b bounds) []Hunk {
	if base == proposed {
		return nil
	}
	x, y := NewLines(base), NewLines(proposed)
	changed := diffLines(x, y, b)
	hunks := make([]Hunk, len(changed))
	for i, c := range changed {
		was, is := x.SpanOf(c.X0, c.X1), y.SpanOf(c.Y0, c.Y1)
		hunks[i] = Hunk{
			Old: was, New: is,
			OldText: was.Of(base), NewText: is.Of(proposed),
			Added: c.Y1 - c.Y0, Removed: c.X1 - c.X0,
		}
	}
	return hunks
}

// SpanOf returns the span of the lines from first up to after.
func (l *Lines) SpanOf(first, after int) Span { return Span{l.Start(first), l.Start(after)} }

// LineHunk says that lines Y0 up to Y1 of one text replace lines X0 up to X1 of
// another.
type LineHunk struct{ X0, X1, Y0, Y1 int }

func (h LineHunk) size() int { return h.X1 - h.X0 + h.Y1 - h.Y0 }

// CompareLines returns the difference of two texts in lines. With quick set it is faster,
// and hunks may be larger than necessary.
func CompareLines(x, y string, quick bool) []LineHunk {
	options := []diff.Option{diff.Context(0)}
	if quick {
		options = append(options, diff.Fast())
	}
	var out []LineHunk
	if linetext.HasLoneCR(x) || linetext.HasLoneCR(y) {
		for _, h := range diff.Hunks(linetext.Split(x), linetext.Split(y), options...) {
			out = append(out, LineHunk{h.PosX, h.EndX, h.PosY, h.EndY})
		}
		return out
	}
	// textdiff knows only "\n", but where a hunk could be in several places, it chooses
	// the one that a reader would.
	for _, h := range textdiff.Hunks(x, y, append(options, textdiff.IndentHeuristic())...) {
		out = append(out, LineHunk{h.LineNoX, h.EndLineNoX, h.LineNoY, h.EndLineNoY})
	}
	return out
}
