package track

import (
	"testing"

	"pgregory.net/rapid"

	"redline/edits"
	"redline/edits/internal/edittest"
)

// touchingPieces generates pieces of s, most of which touch the one before.
func touchingPieces(s string) *rapid.Generator[[]edits.Span] {
	return rapid.Custom(func(t *rapid.T) []edits.Span {
		l := edits.NewLines(s)
		var pieces []edits.Span
		for line := 0; line < l.Count(); {
			from := min(line+rapid.SampledFrom([]int{0, 0, 1}).Draw(t, "gap"), l.Count())
			to := min(from+rapid.IntRange(0, 2).Draw(t, "lines"), l.Count())
			if piece := (edits.Span{Start: l.Start(from), End: l.Start(to)}); edits.IsWholeLines(s, piece) {
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

// TestTouchingPlacesAreSound is TestPlacesAreSound for pieces that touch, including two empty ones
// at one place: like hunks of adjacent lines, before and after some of them are applied.
func TestTouchingPlacesAreSound(t *testing.T) {
	edittest.Check(t, func(t *rapid.T) {
		ref := edittest.Text(20).Draw(t, "ref")
		p := Place(ref, touchingPieces(ref).Draw(t, "pieces"), ref)
		for i := range p.Len() {
			if span, ok := p.At(i); !ok || span != p.pieces[i] {
				t.Fatalf("piece %d, %v, is at %v, %v, in the same text", i, p.pieces[i], span, ok)
			}
		}
		for range rapid.IntRange(1, 8).Draw(t, "changes") {
			es := edittest.Edits(p.live).Draw(t, "edits")
			p = p.Shift(es, edittest.Apply(t, p.live, es...))
			checkPlacement(t, p)
		}
		checkPlacement(t, Place(ref, p.pieces, p.live))
	})
}
