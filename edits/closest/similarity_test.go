package closest

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"redline/edits/internal/edittest"
)

// TestNearestAgreesWithLookingEverywhere compares the line found for a missing line with
// the best of all, found by exhaustive search.
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

// slowLikeness is how like a line is to old, in thousandths: the part of the
// pairs of characters of old, spaces and case aside, that are in that stretch of
// the line, a quarter longer than old, which has the most of them; 0 where it is too little.
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
