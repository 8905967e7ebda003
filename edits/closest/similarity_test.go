package closest

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"redline/edits/internal/edittest"
	_ "redline/internal/seed"
)

// TestNearestAgreesWithLookingEverywhere compares the line found for a missing line with the best
// line of an exhaustive search.
func TestNearestAgreesWithLookingEverywhere(t *testing.T) {
	parts := rapid.SampledFrom([]string{"alpha", "Beta", "(", ")", " ", "\t", "gamma_delta", "==", "é", "X", "return "})
	line := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(parts, 0, 9).Draw(t, "parts"), "")
	})
	edittest.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOfN(line, 1, 8).Draw(t, "lines")
		old := line.Draw(t, "old")
		text := strings.Join(lines, "\n") + "\n"
		got := newSimilarity(old)
		if got == nil {
			return
		}
		best, at := 0, -1
		for i, l := range lines {
			if s := slowLikeness(old, l); s > best {
				best, at = s, i
			}
		}
		is, like := got.best(text)
		if like != best || best > 0 && (len(is) == 0 || is[0] != at) {
			t.Fatalf("%q in %q: lines %v, likeness %d; want line %d, %d", old, text, is, like, at, best)
		}
	})
}

// slowLikeness returns the similarity of a line to old, in thousandths: the share of old's pairs of
// characters, ignoring spaces and case, that the best stretch of the line has, where a stretch is a
// quarter longer than old; 0 if that is too little.
func slowLikeness(old, line string) int {
	fold := func(s string) string {
		out := []byte(nil)
		for _, b := range []byte(s) {
			if b >= 'A' && b <= 'Z' {
				b += 'a' - 'A'
			}
			if b != ' ' && b != '\t' {
				out = append(out, b)
			}
		}
		return string(out)
	}
	a, b := fold(old), fold(line)
	most := 0
	for from := range b {
		n := 0
		for i := from + 1; i <= min(from+len(a)-1+(len(a)-1)/4, len(b)-1); i++ {
			if strings.Contains(a, b[i-1:i+1]) {
				n++
			}
		}
		most = max(most, n)
	}
	return enough(most, len(a)-1, len(b)-1)
}
