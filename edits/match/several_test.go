package match

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"redline/edits"
	"redline/edits/internal/edittest"
)

func TestRefusalTellsPlacesApart(t *testing.T) {
	for _, c := range []struct {
		name, text, old string
		want            []string
		not             string
	}{
		{"by the line above", "func a() {\n\treturn 1\n}\nfunc b() {\n\treturn 1\n}\n", "\treturn 1\n",
			[]string{"line 2, the line above:\n  func a() {", "line 5, the line above:\n  func b() {"}, "whole line"},
		{"by the line below", "x\ny\n1\nx\ny\n2\n", "y\n", []string{"line 2, the line below:\n  1", "line 5, the line below:\n  2"}, ""},
		{"by the rest of the line", "a = f(x)\nb = f(x)\n", "f(x)", []string{"line 1, the whole line:\n  a = f(x)", "line 2, the whole line:\n  b = f(x)"}, "the line above"},
		{"by several lines", "a\n{\nx\n}\nb\n{\nx\n}\na\n", "x\n", []string{"line 3, the 2 lines above:\n  a\n  {"}, ""},
		{"by an empty line", "x\n\ny\nx\ny\n", "x\n", []string{"line 1, the line below:\n  ¶", "line 4, the line above:\n  y", "¶ stands for an empty line"}, ""},
		{"at the start and the end", "x\nb\nx\n", "x\n", []string{"line 1, the line below:\n  b", "line 3, the line above:\n  b"}, ""},
		{"by nothing", strings.Repeat("x\n", 9), "x\n", []string{"on lines 1, 2, 3"}, "line 5,"},
		{"not where there are too many", strings.Repeat("x\ny\n", 11), "x\n", []string{"11 places"}, "apart"},
		{"with another indentation", "if a:\n      x()\nif b:\n      x()\n", "\tx()\n", []string{"2 places", "other indentation",
			"line 2, the lines as the file has them and the line above:\n  if a:\n        x()", "line 4, the lines as the file has them and the line above:\n  if b:\n        x()"}, ""},
		{"with two other indentations", "if a:\n  x()\n  y()\nfor b:\n    x()\n    y()\n", "x()\ny()\n", []string{
			"line 2, the lines as the file has them:\n    x()\n    y()\n", "line 5, the lines as the file has them:\n      x()\n      y()"}, ""},
		{"with another indentation, by nothing", strings.Repeat("  x()\n  y()\n", 9), "x()\ny()\n", []string{"9 places"}, "line 9, the lines"},
		{"with other line ends", "a\r\nx\r\ny\r\nb\r\nx\r\ny\r\n", "x\ny\n", []string{"line 2, the line above:\n  a", "line 5, the line above:\n  b"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Find(c.text, c.old, Where{})
			r := refusal(t, err)
			msg := r.Error()
			for _, want := range c.want {
				if !strings.Contains(msg, want) {
					t.Errorf("does not say %q:\n%s", want, msg)
				}
			}
			if c.not != "" && strings.Contains(msg, c.not) {
				t.Errorf("says %q:\n%s", c.not, msg)
			}
		})
	}
}

// TestPlacesAsTheyAreInTheFile shows that the refusal's text of a place with another indentation
// leads to one place, and to that one.
func TestPlacesAsTheyAreInTheFile(t *testing.T) {
	line := rapid.SampledFrom([]string{"a", "b", "x", "y", ""})
	edittest.Check(t, func(t *rapid.T) {
		var lines []string
		for _, s := range rapid.SliceOfN(line, 2, 14).Draw(t, "lines") {
			lines = append(lines, rapid.SampledFrom([]string{"", "  ", "\t"}).Draw(t, "indentation")+s)
		}
		text := strings.Join(lines, "\n") + "\n"
		n := rapid.IntRange(1, 3).Draw(t, "how many")
		i := rapid.IntRange(0, max(len(lines)-n, 0)).Draw(t, "from")
		old := "    " + strings.Join(lines[i:min(i+n, len(lines))], "\n    ") + "\n"
		_, err := Find(text, old, Where{})
		r, ok := err.(*Refusal)
		if !ok || r.Reason != ReasonSeveral || r.Step == StepExact {
			return
		}
		l := edits.NewLines(text)
		for _, b := range r.forgivingApart() {
			if !b.there {
				continue
			}
			m, err := Find(text, strings.Join(b.lines, "\n"), Where{})
			if err != nil || m.Step != StepExact || len(m.Spans) != 1 {
				t.Fatalf("%q in %q: %v %v", b.lines, text, m, err)
			}
			if first, last := linesOf(l, m.Spans[0]); b.line-1 < first || b.line-1 > last {
				t.Fatalf("%q in %q is on lines %d to %d, not %d", b.lines, text, first+1, last+1, b.line)
			}
		}
	})
}

// TestWhatTellsPlacesApartDoes adds to an ambiguous text the lines that, by the refusal,
// distinguish one of its places: then there is one place, and it is that one.
func TestWhatTellsPlacesApartDoes(t *testing.T) {
	line := rapid.SampledFrom([]string{"a", "b", "\tx", "}", "", "foo(a)", "foo(b)"})
	edittest.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOfN(line, 2, 14).Draw(t, "lines")
		text := strings.Join(lines, "\n") + "\n"
		n := rapid.IntRange(1, 2).Draw(t, "how many")
		i := rapid.IntRange(0, len(lines)-n).Draw(t, "from")
		old := strings.Join(lines[i:i+n], "\n") + "\n"
		if rapid.Bool().Draw(t, "a part") && n == 1 && len(lines[i]) > 0 {
			old = lines[i][:rapid.IntRange(1, len(lines[i])).Draw(t, "length")]
		}
		if old == "\n" {
			return
		}
		_, err := Find(text, old, Where{})
		r, ok := err.(*Refusal)
		if !ok || r.Reason != ReasonSeveral || r.Count > maxListed || r.Step != StepExact {
			return
		}
		for _, b := range tellApart(text, r.places) {
			more := strings.Join(b.lines, "\n") + "\n"
			switch {
			case strings.HasPrefix(b.String(), "the whole"):
			case strings.HasSuffix(b.String(), "above"):
				more += old
			case strings.HasSuffix(old, "\n"):
				more = old + more
			default:
				more = old + "\n" + more
			}
			m, err := Find(text, more, Where{})
			if err != nil {
				t.Fatalf("%q in %q, with %v: %v", old, text, b, err)
			}
			p := m.Spans[0]
			if l := edits.NewLines(text); l.LineOf(p.Start)+1 > b.line || l.LineOf(p.End-1)+1 < b.line {
				t.Fatalf("%q in %q: what is said of line %d is found at %v", old, text, b.line, p)
			}
		}
	})
}
