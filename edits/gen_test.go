package edits

import (
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// bits are what hostile texts are made of: every line end, empty lines, lines
// that repeat, characters of all widths, and bytes that are not UTF-8.
var bits = []string{
	"\n", "\n", "\r\n", "\r", "a", "b", "}\n", "\tx := 1\n", "é", "€", "𝄞", "👩‍💻", "\xff", "\xe2\x82", " ", "\u202e",
}

// text generates a text of up to n bits.
func text(n int) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom(bits), 0, n).Draw(t, "bits"), "")
	})
}

// edit generates an edit of s. Its ends may be inside characters and line ends.
func edit(s string) *rapid.Generator[Edit] {
	return rapid.Custom(func(t *rapid.T) Edit {
		start := rapid.IntRange(0, len(s)).Draw(t, "start")
		end := min(start+rapid.SampledFrom([]int{0, 0, 1, 2, 5, len(s)}).Draw(t, "length"), len(s))
		return Edit{Span{start, end}, text(6).Draw(t, "new")}
	})
}

// editList generates edits of s that Apply takes.
func editList(s string) *rapid.Generator[[]Edit] {
	return rapid.Custom(func(t *rapid.T) []Edit {
		var es []Edit
		at := 0
		for range rapid.IntRange(0, 5).Draw(t, "edits") {
			start := rapid.IntRange(at, len(s)).Draw(t, "start")
			end := rapid.IntRange(start, min(start+8, len(s))).Draw(t, "end")
			es = append(es, Edit{Span{start, end}, text(4).Draw(t, "new")})
			at = end
		}
		return es
	})
}

// apply is Apply for edits that are right.
func apply(t interface{ Fatalf(string, ...any) }, s string, es ...Edit) string {
	out, err := Apply(s, es)
	if err != nil {
		t.Fatalf("Apply(%q, %v): %v", s, es, err)
	}
	return out
}

// check runs a property as a test.
func check(t *testing.T, property func(*rapid.T)) {
	t.Helper()
	rapid.Check(t, property)
}

// megabyte returns about a megabyte of source-like text.
func megabyte() string {
	var b strings.Builder
	for i := 0; b.Len() < 1<<20; i++ {
		b.WriteString("func f" + strings.Repeat("x", i%7) + strconv.Itoa(i) + "() int {\n\treturn " + strconv.Itoa(i*i) + "\n}\n\n")
	}
	return b.String()
}
