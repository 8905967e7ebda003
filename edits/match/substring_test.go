package match

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"redline/edits/internal/edittest"
)

func TestIndexIsStringsIndex(t *testing.T) {
	edittest.Check(t, func(t *rapid.T) {
		pieces := rapid.SampledFrom([]string{"a", "b", "ab", "=", "\n", "\t\t", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "Q"})
		text := strings.Join(rapid.SliceOfN(pieces, 0, 40).Draw(t, "text"), "")
		start := rapid.IntRange(0, len(text)).Draw(t, "start")
		needle := text[start:rapid.IntRange(start, len(text)).Draw(t, "end")]
		if rapid.Bool().Draw(t, "other") {
			needle += pieces.Draw(t, "more")
		}
		if needle == "" {
			return
		}
		if got, want := index(text, needle, rareIn(needle)), strings.Index(text, needle); got != want {
			t.Fatalf("index(%q, %q) is %d, want %d", text, needle, got, want)
		}
	})
}
