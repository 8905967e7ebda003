package match

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"
)

// BenchmarkReplaceMuch replaces a text with few distinct lines, or words, by one that has them in
// another order, where the place has other line ends, or other quotes.
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
		{"lines", many("\n"), many("\n"), StepLineEndings},
		{"words", "\"" + many(" "), many(" "), StepLookAlikes},
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
