package placeholder_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"redline/edits/internal/edittest"
	"redline/edits/placeholder"
	_ "redline/internal/seed"
)

func TestExpand(t *testing.T) {
	const text = "f {\n\ta()\n\tb()\n\tc()\n}\ng {\n\ta2()\n\tb()\n}\n"
	const gap = "\t// ... existing code ...\n"
	for _, c := range []struct{ name, text, old, new, olds, news string }{
		{"one place", text, "f {\n" + gap + "\tc()\n}\n", "f2 {\n" + gap + "\td()\n}\n", "f {\n\ta()\n\tb()\n\tc()\n}\n", "f2 {\n\ta()\n\tb()\n\td()\n}\n"},
		{"without the last line end", text, "f {\n" + gap + "\tc()", "f2 {\n" + gap + "\td()", "f {\n\ta()\n\tb()\n\tc()", "f2 {\n\ta()\n\tb()\n\td()"},
		{"two placeholders", text, "f {\n" + gap + "\tc()\n" + gap + "\ta2()\n", "F {\n" + gap + "\tC()\n" + gap + "\tA()\n", "f {\n\ta()\n\tb()\n\tc()\n}\ng {\n\ta2()\n", "F {\n\ta()\n\tb()\n\tC()\n}\ng {\n\tA()\n"},
		{"the other place is above", text, "\tc()\n" + gap + "\tb()\n", "\td()\n" + gap + "\te()\n", "\tc()\n}\ng {\n\ta2()\n\tb()\n", "\td()\n}\ng {\n\ta2()\n\te()\n"},
		{"placeholders at both ends", text, gap + "\tc()\n" + gap, gap + "\td()\n" + gap, "\tc()\n", "\td()\n"},
		{"a part goes", text, "\ta()\n" + gap + "\tc()\n", gap + "\tc()\n", "\ta()\n\tb()\n\tc()\n", "\tb()\n\tc()\n"},
		{"nothing left out", text, "\ta()\n" + gap + "\tb()\n\tc()\n", "\ta()\n" + gap + "\tb()\n\td()\n", "\ta()\n\tb()\n\tc()\n", "\ta()\n\tb()\n\td()\n"},
		{"other line ends", strings.ReplaceAll(text, "\n", "\r\n"), "f {\n" + gap + "\tc()\n", "f2 {\n" + gap + "\tc()\n", "f {\n\ta()\n\tb()\n\tc()\n", "f2 {\n\ta()\n\tb()\n\tc()\n"},
		{"the first part is in two places", text, "\tb()\n" + gap + "}\n", "\td()\n" + gap + "}\n", "", ""},
		{"the second part is in two places", text, "\ta()\n" + gap + "\tb()\n", "\td()\n" + gap + "\tb()\n", "", ""},
		{"it is also a part of a line", "a\nb\nc\nb2\n", "a\n" + gap + "b\n", "a\n" + gap + "c\n", "", ""},
		{"in another order", text, "\tc()\n" + gap + "\ta()\n", "\td()\n" + gap + "\ta()\n", "", ""},
		{"indented otherwise", text, "f {\n" + gap + "c()\n", "g {\n" + gap + "c()\n", "", ""},
		{"not in the new text", text, "f {\n" + gap + "\tc()\n", "f {\n\tc()\n", "", ""},
		{"other words in the new text", text, "f {\n" + gap + "\tc()\n", "f {\n\t// ... other code ...\n\td()\n", "", ""},
		{"one more in the new text", text, "f {\n" + gap + "\tc()\n", "f {\n" + gap + gap + "\td()\n", "", ""},
		{"new lines above a first placeholder", text, gap + "\tc()\n", "\tx()\n" + gap + "\tc()\n", "", ""},
		{"the file has such a line", text + gap, "f {\n" + gap + "\tc()\n", "f2 {\n" + gap + "\tc()\n", "", ""},
		{"no placeholder", text, "f {\n\tc()\n", "f2 {\n\tc()\n", "", ""},
		{"only placeholders", text, gap + gap, gap + gap, "", ""},
	} {
		olds, news, _, ok := placeholder.Expand("a.go", c.text, c.old, c.new)
		if olds != c.olds || news != c.news || ok != (c.olds != "") {
			t.Errorf("%s: got %v\n%q, want\n%q\n%q, want\n%q", c.name, ok, olds, c.olds, news, c.news)
		}
	}
}

// What Expand returns is in the file once, and comes from it by leaving one stretch out; where several
// stretches would do, it returns nothing.
func TestExpandHasOneWay(t *testing.T) {
	once := func(text, part string) bool {
		part = strings.TrimSuffix(part, "\n")
		return strings.Index(text, part) == strings.LastIndex(text, part)
	}
	edittest.Check(t, func(t *rapid.T) {
		line := rapid.SampledFrom([]string{"a", "b", "c", "ab", " a"})
		draw := func(name string, least, most int) []string { return rapid.SliceOfN(line, least, most).Draw(t, name) }
		join := func(lines []string) string { return strings.Join(lines, "\n") + "\n" }
		file, above, below := draw("file", 0, 8), draw("above", 1, 2), draw("below", 1, 2)
		text := join(file)
		const gap = "# ... existing code ...\n"
		olds, news, _, ok := placeholder.Expand("a.go", text, join(above)+gap+join(below), join(above)+gap+"x\n")
		ways, full := 0, ""
		for from := range file {
			for to := from + len(above); to+len(below) <= len(file); to++ {
				if join(file[from:from+len(above)]) == join(above) && join(file[to:to+len(below)]) == join(below) {
					ways++
					full = join(file[from : to+len(below)])
				}
			}
		}
		switch {
		case !ok && ways == 1 && once(text, join(above)) && once(text, join(below)):
			t.Fatalf("%q: nothing, want %q", text, full)
		case ok && (ways != 1 || olds != full || news != strings.TrimSuffix(full, join(below))+"x\n"):
			t.Fatalf("%q: %q, %q in one of %d ways, want %q", text, olds, news, ways, full)
		}
	})
}
