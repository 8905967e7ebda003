package edits

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Whatever a difference of lines may cost, it leads from the one text to the
// other.
func TestDiffContents(t *testing.T) {
	check(t, func(t *rapid.T) {
		lines := rapid.SliceOfN(rapid.SampledFrom([]string{"", "a", "b", "}", "c"}), 0, 40)
		x, y := lines.Draw(t, "old"), lines.Draw(t, "new")
		b := bounds{
			always: rapid.IntRange(0, 20).Draw(t, "always"),
			few:    rapid.IntRange(0, 3).Draw(t, "few"),
			block:  rapid.IntRange(1, 10).Draw(t, "block"),
		}
		got := []string{}
		at := 0
		for _, h := range diffContents(x, y, b) {
			got = append(append(got, x[at:h.x0]...), y[h.y0:h.y1]...)
			at = h.x1
		}
		if got = append(got, x[at:]...); !slices.Equal(got, y) {
			t.Fatalf("%q, not %q", got, y)
		}
	})
}

// BenchmarkReplaceMuch replaces a text whose lines, or words, are of few kinds
// by one that has them in another order, where the place has other line ends,
// or other quotes.
func BenchmarkReplaceMuch(b *testing.B) {
	r := rand.New(rand.NewSource(1))
	many := func(end string) string {
		var s strings.Builder
		for range 80000 {
			fmt.Fprintf(&s, "%d%s", r.Intn(300), end)
		}
		return s.String() + "\n"
	}
	for _, c := range []struct{ name, old, new, step string }{
		{"lines", many("\n"), many("\n"), stepLineEndings},
		{"words", "\"" + many(" "), many(" "), stepLookAlikes},
	} {
		text := strings.ReplaceAll(strings.ReplaceAll(c.old, "\n", "\r\n"), "\"", "“")
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				if _, m, err := Replace(text, c.old, c.new, Where{}); err != nil || m.Step != c.step {
					b.Fatal(m.Step, err)
				}
			}
		})
	}
}
