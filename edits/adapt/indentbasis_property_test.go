package adapt_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"redline/edits/internal/edittest"
	"redline/edits/match"
	_ "redline/internal/seed"
)

// deepLine is a line at a level of indentation.
type deepLine struct {
	depth int
	body  string
}

// written returns the lines, from a level on, with a unit of spaces for each level.
func written(lines []deepLine, from int, unit string) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(strings.Repeat(unit, l.depth-from) + l.body + "\n")
	}
	return b.String()
}

// genBlock generates lines of a program: the first is at the level and none is above it; a header
// is followed by lines inside it.
func genBlock(t *rapid.T, level, most int) []deepLine {
	var out []deepLine
	for n := range rapid.IntRange(1, most).Draw(t, "lines") {
		body := rapid.SampledFrom([]string{"a();", "b();", "call(1)", "call(2)", "x = 1", "y = 2"}).Draw(t, "body")
		if most < 2 || n == 0 || rapid.IntRange(0, 3).Draw(t, "kind") > 0 {
			out = append(out, deepLine{level, body})
			continue
		}
		head := rapid.SampledFrom([]string{"if x:", "for y in z:", "if x {", "while (q) {"}).Draw(t, "head")
		out = append(append(out, deepLine{level, head}), genBlock(t, level+1, most/2)...)
		if strings.HasSuffix(head, "{") {
			out = append(out, deepLine{level, "}"})
		}
	}
	return out
}

// reprogrammed returns the lines with a change as a programmer makes it.
func reprogrammed(t *rapid.T, lines []deepLine) []deepLine {
	at := rapid.IntRange(0, len(lines)-1).Draw(t, "at")
	l := lines[at]
	end := at + 1 // of the content of that line
	for end < len(lines) && (lines[end].depth > l.depth || lines[end].depth == l.depth && lines[end].body == "}" && end > at+1) {
		end++
	}
	var put []deepLine
	switch rapid.SampledFrom([]string{"change", "insert", "delete", "wrap", "unwrap"}).Draw(t, "what") {
	case "change":
		put = append(put, deepLine{l.depth, l.body + " # new"})
		put = append(put, lines[at+1:end]...)
	case "insert":
		put = append(genBlock(t, l.depth, 4), lines[at:end]...)
	case "wrap":
		put = append(put, deepLine{l.depth, "if new:"})
		for _, in := range lines[at:end] {
			put = append(put, deepLine{in.depth + 1, in.body})
		}
	case "unwrap":
		for _, in := range lines[at+1 : end] {
			if in.depth > l.depth {
				put = append(put, deepLine{in.depth - 1, in.body})
			}
		}
	}
	return append(append(append([]deepLine{}, lines[:at]...), put...), lines[end:]...)
}

// An author who leaves out the indentation of the old text, and writes the new text in the same way
// or as in the file, gets the intended result or, rarely, a refusal.
func TestNewTextIsPutAsItWasMeant(t *testing.T) {
	landed, refused := map[bool]int{}, map[bool]int{}
	edittest.Check(t, func(t *rapid.T) {
		level := rapid.IntRange(1, 2).Draw(t, "level")
		unit := rapid.SampledFrom([]string{"\t", "  ", "    "}).Draw(t, "unit")
		lines := genBlock(t, level, 6)
		next := reprogrammed(t, lines)
		from := rapid.IntRange(-2, level).Draw(t, "from") // below 0: it is indented too much
		old, new := written(lines, from, unit), written(next, from, unit)
		like := rapid.Bool().Draw(t, "as the file")
		if like {
			new = written(next, 0, unit)
		}
		above, below := "first\n"+strings.Repeat(unit, level-1)+"head:\n", "last\n"
		text := above + written(lines, 0, unit) + below
		if strings.Contains(text, old) || len(next) == 0 {
			return
		}
		want := above + written(next, 0, unit) + below
		es, _, err := match.Replace(text, old, new, match.Where{})
		if err != nil {
			refusal(t, err)
			refused[like]++
			return
		}
		landed[like]++
		if got := edittest.Apply(t, text, es...); got != want {
			t.Fatalf("Replace(%q, %q, %q): got\n%s\nwant\n%s", text, old, new, got, want)
		}
	})
	t.Log(landed, refused)
}
