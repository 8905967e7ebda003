package edits

import (
	"testing"

	"pgregory.net/rapid"
)

// touchingPieces generates pieces of s of which most touch the one before.
func touchingPieces(s string) *rapid.Generator[[]Span] {
	return rapid.Custom(func(t *rapid.T) []Span {
		l := NewLines(s)
		var pieces []Span
		for line := 0; line < l.Count(); {
			from := min(line+rapid.SampledFrom([]int{0, 0, 1}).Draw(t, "gap"), l.Count())
			to := min(from+rapid.IntRange(0, 2).Draw(t, "lines"), l.Count())
			if piece := (Span{l.start(from), l.start(to)}); boundsLines(s, piece) {
				pieces = append(pieces, piece)
			}
			line = to
			if rapid.IntRange(0, 5).Draw(t, "enough") == 0 {
				break
			}
		}
		return pieces
	})
}

// TestTouchingPlacesAreSound is TestPlacesAreSound for pieces that touch, two
// empty ones at one place among them: what hunks of adjacent lines are, before
// and after some of them are applied.
func TestTouchingPlacesAreSound(t *testing.T) {
	check(t, func(t *rapid.T) {
		ref := text(20).Draw(t, "ref")
		p := Place(ref, touchingPieces(ref).Draw(t, "pieces"), ref)
		for i := range p.Len() {
			if span, ok := p.At(i); !ok || span != p.pieces[i] {
				t.Fatalf("piece %d, %v, is at %v, %v, in the same text", i, p.pieces[i], span, ok)
			}
		}
		for range rapid.IntRange(1, 8).Draw(t, "changes") {
			es := editList(p.live).Draw(t, "edits")
			p = p.Shift(es, apply(t, p.live, es...))
			checkPlacement(t, p)
		}
		checkPlacement(t, Place(ref, p.pieces, p.live))
	})
}

// TestLandingsOfTouchingEdits shows that an editor that made some of several
// edits on adjacent lines is not said to have made others.
func TestLandingsOfTouchingEdits(t *testing.T) {
	check(t, func(t *rapid.T) {
		base, proposed, as := drawAreas(t)
		es := as.Separate(base, proposed).Edits(proposed)
		for i, l := range Landings(base, es, proposed) {
			if l != Landed {
				t.Fatalf("edit %d of %v of %q is %v in what it makes", i, es, base, l)
			}
		}
		if base == proposed {
			return // all are there, as it were
		}
		for i, l := range Landings(base, es, base) {
			if l == Landed {
				t.Fatalf("edit %d of %v of %q has landed in the text as it was", i, es, base)
			}
		}
	})
}
