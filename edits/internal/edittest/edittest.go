// Package edittest generates texts, edits and what two people do to a text, for the
// tests of the packages under edits.
package edittest

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"redline/edits"
	_ "redline/internal/seed"
)

// Bits are what hostile texts are made of: every line end, empty lines, lines
// that repeat, characters of all widths, and bytes that are not UTF-8.
var Bits = []string{
	"\n", "\n", "\r\n", "\r", "a", "b", "}\n", "\tx := 1\n", "é", "€", "𝄞", "👩‍💻", "\xff", "\xe2\x82", " ", "\u202e",
}

// Text generates a text of up to n bits.
func Text(n int) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom(Bits), 0, n).Draw(t, "bits"), "")
	})
}

// Edit generates an edit of s. Its ends may be inside characters and line ends.
func Edit(s string) *rapid.Generator[edits.Edit] {
	return rapid.Custom(func(t *rapid.T) edits.Edit {
		start := rapid.IntRange(0, len(s)).Draw(t, "start")
		end := min(start+rapid.SampledFrom([]int{0, 0, 1, 2, 5, len(s)}).Draw(t, "length"), len(s))
		return edits.Edit{Span: edits.Span{Start: start, End: end}, New: Text(6).Draw(t, "new")}
	})
}

// Edits generates edits of s that are valid for Apply.
func Edits(s string) *rapid.Generator[[]edits.Edit] {
	return rapid.Custom(func(t *rapid.T) []edits.Edit {
		var es []edits.Edit
		at := 0
		for range rapid.IntRange(0, 5).Draw(t, "edits") {
			start := rapid.IntRange(at, len(s)).Draw(t, "start")
			end := rapid.IntRange(start, min(start+8, len(s))).Draw(t, "end")
			es = append(es, edits.Edit{Span: edits.Span{Start: start, End: end}, New: Text(4).Draw(t, "new")})
			at = end
		}
		return es
	})
}

// Apply is [edits.Apply] for valid edits.
func Apply(t interface{ Fatalf(string, ...any) }, s string, es ...edits.Edit) string {
	out, err := edits.Apply(s, es)
	if err != nil {
		t.Fatalf("Apply(%q, %v): %v", s, es, err)
	}
	return out
}

// Check runs a property as a test.
func Check(t *testing.T, property func(*rapid.T)) {
	t.Helper()
	rapid.Check(t, property)
}

// Megabyte returns about a megabyte of source-like text.
func Megabyte() string {
	var b strings.Builder
	for i := 0; b.Len() < 1<<20; i++ {
		b.WriteString("func f" + strings.Repeat("x", i%7) + strconv.Itoa(i) + "() int {\n\treturn " + strconv.Itoa(i*i) + "\n}\n\n")
	}
	return b.String()
}

// Act is what somebody does to one line of NumberedLines.
type Act struct {
	Line int
	Verb string
}

// After returns n numbered lines after the acts.
func After(n int, who string, acts ...Act) string {
	var b strings.Builder
	for i := range n {
		line := fmt.Sprintf("line %d;\n", i)
		for _, a := range acts {
			if a.Line != i {
				continue
			}
			switch a.Verb {
			case "change":
				line = fmt.Sprintf("%s's %d;\n", who, i)
			case "delete":
				line = ""
			case "insert":
				line += fmt.Sprintf("%s's after %d;\nand another after %d;\n", who, i, i)
			case "rewrite":
				line = fmt.Sprintf("%s's %d;\n%s's too %d;\n", who, i, who, i)
			}
		}
		b.WriteString(line)
	}
	return b.String()
}

// TwoParties generates acts of two parties on lines that are not next to each other, at
// most one act a line.
func TwoParties(t *rapid.T, n int) (mine, theirs []Act) {
	verbs := rapid.SampledFrom([]string{"change", "delete", "insert", "rewrite"})
	whose := rapid.SampledFrom([]string{"mine", "theirs", "nobody's"})
	last, lastAt := "nobody's", -2
	for i := range n {
		who := whose.Draw(t, "whose")
		if who == "nobody's" || who != last && last != "nobody's" && lastAt >= i-2 {
			continue
		}
		a := Act{i, verbs.Draw(t, "verb")}
		if who == "mine" {
			mine = append(mine, a)
		} else {
			theirs = append(theirs, a)
		}
		last, lastAt = who, i
	}
	return mine, theirs
}

// NumberedLines returns n lines, each different.
func NumberedLines(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d;\n", i)
	}
	return b.String()
}
