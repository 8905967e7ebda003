package match

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"redline/edits/internal/edittest"
	"redline/edits/internal/linetext"
	_ "redline/internal/seed"
)

func TestReplaceIndentsAFirstLine(t *testing.T) {
	const text = "f {\n\tif a {\n\t\tb()\n\t}\n}\n"
	for _, c := range []struct{ name, text, old, new, want string }{
		{"in both texts", text, "if a {\n\t\tb()\n\t}\n", "if a {\n\t\tc()\n\t}\n", "f {\n\tif a {\n\t\tc()\n\t}\n}\n"},
		{"it changes", text, "if a {\n\t\tb()\n\t}\n", "if c {\n\t\tb()\n\t}\n", "f {\n\tif c {\n\t\tb()\n\t}\n}\n"},
		{"not in the new text", text, "if a {\n\t\tb()\n\t}\n", "\tif a {\n\t\tc()\n\t}\n", "f {\n\tif a {\n\t\tc()\n\t}\n}\n"},
		{"a line above it", text, "if a {\n\t\tb()\n", "// c\nif a {\n\t\tb()\n", "f {\n\t// c\n\tif a {\n\t\tb()\n\t}\n}\n"},
		{"an indented line above it", text, "if a {\n\t\tb()\n", "\t// c\nif a {\n\t\tb()\n", "f {\n\t// c\n\tif a {\n\t\tb()\n\t}\n}\n"},
		{"it goes", text, "if a {\n\t\tb()\n\t}\n", "\tb()\n", "f {\n\tb()\n}\n"},
		{"all goes", text, "if a {\n\t\tb()\n\t}\n", "", "f {\n}\n"},
		{"a place to the left is in the text too", "if a {\n\tb()\n}\n" + text, "if a {\n\t\tb()\n\t}\n", "if a {\n\t\tc()\n\t}\n", ""},
		{"among lines to the left", "  a,\nfrom b\n  join c\n", "a,\nfrom b\n  join c\n", "a,\nfrom d\n  join c\n", "  a,\nfrom d\n  join c\n"},
		{"line ends", "\ta\r\n\t\tb\r\n", "a\n\t\tb\n", "a\n\t\tc\n", "\ta\r\n\t\tc\r\n"},
		{"two places", text + text, "if a {\n\t\tb()\n\t}\n", "if a {\n\t\tc()\n\t}\n", ""},
		{"two places, one with other spaces", text + "if  a {\nb()\n}\n", "if a {\n\t\tb()\n\t}\n", "if a {\n\t\tc()\n\t}\n", ""},
		{"another line is indented otherwise", text, "if a {\n\tb()\n\t}\n", "if a {\n\tc()\n\t}\n", ""},
		{"another new line is not indented", text, "if a {\n\t\tb()\n\t}\n", "if a {\n\t\tb()\n\t}\nc()\n", ""},
		{"it becomes deeper", text, "if a {\n\t\tb()\n\t}\n", "\t\tif a {\n\t\tb()\n\t}\n", ""},
		{"inside a line", "x if a {\n\t\tb()\n\t}\n", "if a {\n\t\tb()\n\t}\n", "c\n", ""},
	} {
		es, m, err := Replace(c.text, c.old, c.new, Where{Lines: true})
		switch {
		case c.want == "" && err == nil:
			t.Errorf("%s: got %q by %s", c.name, edittest.Apply(t, c.text, es...), m.Step)
		case c.want == "":
		case err != nil:
			t.Errorf("%s: %v", c.name, err)
		default:
			if got := edittest.Apply(t, c.text, es...); got != c.want || m.Step != StepIndentation {
				t.Errorf("%s: got %q by %s, want %q", c.name, got, m.Step, c.want)
			}
		}
	}
}

// Lines whose first one lacks its indentation are the lines with it, if these are in one place only
// when no indentation counts.
func TestFirstLinesMeanTheirOnlyPlace(t *testing.T) {
	edittest.Check(t, func(t *rapid.T) {
		indent := rapid.SampledFrom([]string{"", "\t", "\t\t", "  ", "    "})
		body := rapid.SampledFrom([]string{"a b", "a  b", "c", "d {", "}"})
		var lines []string
		for range rapid.IntRange(2, 9).Draw(t, "lines") {
			lines = append(lines, indent.Draw(t, "indent")+body.Draw(t, "body"))
		}
		from := rapid.IntRange(0, len(lines)-2).Draw(t, "from")
		to := rapid.IntRange(from+2, len(lines)).Draw(t, "to")
		text, there := strings.Join(lines, "\n")+"\n", lines[from:to]
		missing := linetext.IndentOf(there[0])
		old := strings.TrimPrefix(strings.Join(there, "\n")+"\n", missing)
		places := 0
		for i := 0; i+len(there) <= len(lines); i++ {
			if slices.EqualFunc(lines[i:i+len(there)], there, func(a, b string) bool { return inner(a) == inner(b) }) {
				places++
			}
		}
		exact := "\n"+text != strings.ReplaceAll("\n"+text, "\n"+old, "\n")
		shifted := func() bool { // another rule finds it
			_, _, err := find(text, old, Where{Lines: true}, false)
			return !isNone(err)
		}
		new := strings.TrimSuffix(old, "\n") + "!\n"
		es, _, err := Replace(text, old, new, Where{Lines: true})
		switch {
		case places > 1 && !exact && !shifted() && err == nil:
			t.Fatalf("Replace(%q, %q): %v, though there are %d places", text, old, es, places)
		case places == 1:
			if err != nil {
				t.Fatalf("Replace(%q, %q): %v", text, old, err)
			}
			want := strings.Join(slices.Concat(lines[:to-1], []string{lines[to-1] + "!"}, lines[to:]), "\n") + "\n"
			if got := edittest.Apply(t, text, es...); got != want {
				t.Fatalf("Replace(%q, %q): got %q, want %q", text, old, got, want)
			}
		}
	})
}

// referenceFirstLine returns old with the indentation of its first line in the only place that
// it has without regard to spaces.
func referenceFirstLine(text, old string, w Where) (own string, ok bool) {
	want, lines := linetext.Split(linetext.WithoutBOM(old)), linetext.Split(linetext.WithoutBOM(text))
	if !w.Lines || len(want) < 2 || strings.HasPrefix(old, "\uFEFF") || strings.TrimSpace(want[0]) == "" || strings.ContainsAny(want[0][:1], " \t") {
		return "", false
	}
	found := 0
	for i := 0; i+len(want) <= len(lines); i++ {
		if slices.EqualFunc(want, lines[i:i+len(want)], func(a, b string) bool { return inner(a) == inner(b) }) {
			found++
			own = linetext.IndentOf(lines[i]) + old
		}
	}
	return own, found == 1 && own != old
}
