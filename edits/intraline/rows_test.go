package intraline

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"redline/edits"
	"redline/edits/internal/edittest"
	"redline/edits/internal/linetext"
)

// drawn returns rows as text, with the changes of edited lines as [old|new].
func drawn(old, new string, rows []Row) string {
	x, y := linetext.Split(old), linetext.Split(new)
	var b strings.Builder
	for _, r := range rows {
		switch r.Kind {
		case Same:
			fmt.Fprintf(&b, "  %s\n", linetext.Content(x[r.Old]))
		case Removed:
			fmt.Fprintf(&b, "- %s\n", linetext.Content(x[r.Old]))
		case Added:
			fmt.Fprintf(&b, "+ %s\n", linetext.Content(y[r.New]))
		case Edited:
			at := 0
			b.WriteString("~ ")
			for _, c := range r.Changes {
				b.WriteString(x[r.Old][at:c.Old.Start] + "[" + c.Old.Of(x[r.Old]) + "|" + c.New.Of(y[r.New]) + "]")
				at = c.Old.End
			}
			b.WriteString(linetext.Content(x[r.Old])[at:] + "\n")
		}
	}
	return b.String()
}

func TestRowsTable(t *testing.T) {
	for _, test := range []struct{ name, old, new, want string }{
		{"nothing", "", "", ""},
		{"a word", "func greet() {}\n", "func salute() {}\n", "~ func [greet|salute]() {}\n"},
		{"a line that stays", "a\nb\nc\n", "a\nc\n", "  a\n- b\n  c\n"},
		{"lines that come", "", "a\nb\n", "+ a\n+ b\n"},
		{"lines that go", "a\nb", "", "- a\n- b\n"},
		{"nothing in common", "alpha\nbeta\n", "x := compute(1)\n", "- alpha\n- beta\n+ x := compute(1)\n"},
		{"words beside each other", "one two three four\n", "uno dos three four\n", "~ [one two|uno dos] three four\n"},
		{"a word, and one more behind a space", "one of them is two\n", "one of us (is two\n", "~ one of [them|us] [|(]is two\n"},
		{"a brace is in many lines", "}\n", "if x {}\n", "- }\n+ if x {}\n"},
		{"most of a line stays, with others below it",
			"\treturn sum\n", "\treturn sum - Discount(sum, 0)\n}\n\nfunc Discount() {\n",
			"~ \treturn sum[| - Discount(sum, 0)]\n+ }\n+ \n+ func Discount() {\n"},
		{"a third of a line in the same place", "one apple\n", "one pear*\n", "~ one [apple|pear*]\n"},
		{"a third of a line elsewhere", "one apple\n", "new\none pear*\n", "- one apple\n+ new\n+ one pear*\n"},
		{"a blank line", "\n", "x = 1\n", "- \n+ x = 1\n"},
		{"the most similar lines",
			"total := count(items)\nprint(total)\n", "// how many\ntotal := count(all)\nlog(total)\nprint(total, all)\n",
			"+ // how many\n~ total := count([items|all])\n+ log(total)\n~ print(total[|, all])\n"},
		{"a longer line that stays, not a shorter one that grows",
			"if f.BOM {\n}\nif err := write(name, text); err != nil {\n", "if err := write(name, whole(f.BOM)); err != nil {\n",
			"- if f.BOM {\n- }\n~ if err := write(name, [text|whole(f.BOM)]); err != nil {\n"},
		{"only a line end", "a\r\nb\r\n", "a\nb\r\n", "~ a\n  b\n"},
		{"no line end", "a", "a\n", "~ a\n"},
		{"a lone carriage return", "a\rb b b\rc\r", "a\rb b x\rc\r", "  a\n~ b b [b|x]\n  c\n"},
		{"bytes that are no characters", "say \xffab\n", "say \xffab cd\n", "~ say \xffab[| cd]\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := drawn(test.old, test.new, Rows(test.old, test.new)); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

// Each line is in exactly one row, in order; both texts can be made from the rows; changes divide no character.
func TestRowsHoldBothTexts(t *testing.T) {
	word := rapid.SampledFrom(append([]string{"alpha", "beta", "(", "e\u0301", "🇫🇷", "良"}, edittest.Bits...))
	text := rapid.Map(rapid.SliceOfN(word, 0, 40), func(words []string) string { return strings.Join(words, "") })
	edittest.Check(t, func(t *rapid.T) {
		old := text.Draw(t, "old")
		new := text.Draw(t, "new")
		if rapid.Bool().Draw(t, "edited") {
			new = edittest.Apply(t, old, edittest.Edits(old).Draw(t, "edits")...)
		}
		checkRows(t, old, new)
	})
}

// checkRows fails the test unless rows hold two texts.
func checkRows(t interface {
	Helper()
	Fatalf(string, ...any)
}, old, new string) {
	t.Helper()
	x, y := linetext.Split(old), linetext.Split(new)
	i, j := 0, 0
	for _, r := range Rows(old, new) {
		if r.Old >= 0 && r.Old != i || r.New >= 0 && r.New != j {
			t.Fatalf("%q, %q: row %+v at lines %d and %d", old, new, r, i, j)
		}
		if has := [2]bool{r.Old >= 0, r.New >= 0}; has != map[Kind][2]bool{Same: {true, true}, Edited: {true, true}, Removed: {true, false}, Added: {false, true}}[r.Kind] {
			t.Fatalf("%q, %q: row %+v", old, new, r)
		}
		switch r.Kind {
		case Same:
			if x[i] != y[j] {
				t.Fatalf("%q is said to be %q", x[i], y[j])
			}
		case Edited:
			checkChanges(t, linetext.Content(x[i]), linetext.Content(y[j]), r.Changes)
		}
		if r.Old >= 0 {
			i++
		}
		if r.New >= 0 {
			j++
		}
	}
	if i != len(x) || j != len(y) {
		t.Fatalf("%q, %q: the rows end at lines %d and %d", old, new, i, j)
	}
}

func checkChanges(t interface {
	Helper()
	Fatalf(string, ...any)
}, old, new string, changes []Change) {
	t.Helper()
	from, to := 0, 0
	divided := func(line string, at int) bool {
		next, _ := utf8.DecodeRuneInString(line[at:])
		return linetext.Divides(line, at) || at > 0 && at < len(line) && (kindOf(next) == extends || strings.HasSuffix(line[:at], string(zeroWidthJoiner)))
	}
	for _, c := range append(slices.Clone(changes), Change{edits.Span{Start: len(old), End: len(old)}, edits.Span{Start: len(new), End: len(new)}}) {
		if c.Old.Start < from || c.New.Start < to || old[from:c.Old.Start] != new[to:c.New.Start] {
			t.Fatalf("%q, %q: what is before %+v is not the same: %+v", old, new, c, changes)
		}
		if divided(old, c.Old.Start) || divided(old, c.Old.End) || divided(new, c.New.Start) || divided(new, c.New.End) {
			t.Fatalf("%q, %q: %+v divides a character", old, new, c)
		}
		from, to = c.Old.End, c.New.End
	}
}

// Large changes have the same properties, whichever way they are compared.
func TestRowsOfLargeChanges(t *testing.T) {
	lines := func(n int, line string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, line, i)
		}
		return b.String()
	}
	for _, test := range []struct {
		name, old, new string
		edited         int
	}{
		{"as many lines", lines(3000, "value %d of the old list\n"), lines(3000, "value %d of the new list\n"), 3000},
		{"one more", lines(50, "value %d of the old list\n"), "// why\n" + lines(50, "value %d of the new list\n"), 50},
		{"nothing in common", lines(5000, "%d\n"), lines(200, "other, x%d\n"), 0},
		{"long lines", strings.Repeat("a b ", 2000) + "\n", strings.Repeat("a c ", 2000) + "\n", 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			checkRows(t, test.old, test.new)
			n := 0
			for _, r := range Rows(test.old, test.new) {
				if r.Kind == Edited {
					n++
				}
			}
			if n != test.edited {
				t.Errorf("%d lines are edited, want %d", n, test.edited)
			}
		})
	}
}

func BenchmarkRows(b *testing.B) {
	text := func(n int, word string) string {
		return strings.Repeat("\tfor _, item := range "+word+" { total += item.Price * rates[item.Kind] }\n", n)
	}
	for _, n := range []int{1, 10, 32, 100, 1000, 10_000, 100_000} {
		old, new := text(n, "items"), text(n, "things")
		b.Run(fmt.Sprintf("lines=%d", n), func(b *testing.B) {
			b.SetBytes(int64(len(old)))
			for b.Loop() {
				Rows(old, new)
			}
		})
	}
}
