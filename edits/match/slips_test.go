package match

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"redline/edits"
	"redline/edits/internal/edittest"
	"redline/edits/internal/linetext"
)

func TestReplaceForgivesRunsOfSpaces(t *testing.T) {
	for _, c := range []struct{ name, text, old, new, want string }{
		{"one more in the old text", "foo := 1\n", "foo :=  1\n", "foo :=  2\n", "foo := 2\n"},
		{"one more in the file", "foo  := 1\nbar := 2\n", "foo := 1\n", "foo := 3\n", "foo  := 3\nbar := 2\n"},
		{"a tab in the file", "#define\tA\t1\n", "#define A 1\n", "#define A 2\n", "#define\tA\t2\n"},
		{"what stays keeps its own", "a  = 1  // one\nb = 2\n", "a = 1 // one\nb = 2\n", "a = 1 // one\nb = 3\n", "a  = 1  // one\nb = 3\n"},
		{"what comes is as it is sent", "a  = 1\n", "a = 1\n", "a = 1\nb   = 2\n", "a  = 1\nb   = 2\n"},
		{"what the new text changes", "a =  1  + 2\n", "a = 1 + 2\n", "a = 1   + 2\n", "a =  1   + 2\n"},
		{"indented otherwise", "\tif a  == b {\n\t\tc()\n\t}\n", "if a == b {\n    c()\n}\n", "if a == b {\n    d()\n}\n", "\tif a  == b {\n\t\td()\n\t}\n"},
		{"without its indentation", "\tfoo := 1 // x\n", "foo :=  1", "foo :=  2", "\tfoo := 2 // x\n"},
		{"inside a line", "if (a  ==  b) { c() }\n", "a == b", "a == c", "if (a  ==  c) { c() }\n"},
		{"other line ends", "a  = 1\r\nb\r\n", "a = 1\nb\n", "a = 2\nb\n", "a  = 2\r\nb\r\n"},
		{"beside a string", "f(\"a  b\",  1)\n", "f(\"a  b\", 1)\n", "f(\"a  b\", 2)\n", "f(\"a  b\",  2)\n"},
		{"another place in the file is longer", "return x\nreturn x, err\n", "return  x\n", "return y\n", "return y\nreturn x, err\n"},
		{"a new string", "f(a  b)\n", "f(a b)\n", "f(\"a b\")\n", "f(\"a b\")\n"},
		{"a struct", "type T struct {\n\tA    int    // one\n\tBBBB string // two\n}\n", "type T struct {\n\tA int // one\n\tBBBB string // two\n}\n",
			"type T struct {\n\tA int // one\n\tBBBB []string // two\n}\n", "type T struct {\n\tA    int    // one\n\tBBBB []string // two\n}\n"},
		{"a byte order mark", edits.BOM + "a  b\n", "a b\n", "a c\n", edits.BOM + "a  c\n"},
	} {
		for _, all := range []bool{false, true} {
			es, m, err := Replace(c.text, c.old, c.new, Where{All: all})
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
				continue
			}
			if got := edittest.Apply(t, c.text, es...); got != c.want || m.Step != StepSpaces {
				t.Errorf("%s: got %q by %s, want %q", c.name, got, m.Step, c.want)
			}
		}
	}
}

func TestReplaceRefusesOtherRunsOfSpaces(t *testing.T) {
	for _, c := range []struct{ name, text, old, reason string }{
		{"two places", "a  b\nx\na   b\n", "a b\n", ReasonNone},
		{"two places, one inside a line", "a  b\nx\nif a   b {\n", "a b", ReasonNone},
		{"two places, one with look-alikes", "a  - b\nx\na   — b\n", "a - b\n", ReasonNone},
		{"two places, one indented otherwise", "a  b\nc\nx\na  b\n  c\n", "a b\nc\n", ReasonNone},
		{"two places, one in a string", "a  b\nx = \"a   b\"\n", "a b", ReasonNone},
		{"in a string", "x = \"a  b\"\n", "x = \"a b\"\n", ReasonNone},
		{"in a string that is begun before", "f('a  b', c)\n", "a b', c", ReasonNone},
		{"in a string of several lines", "x = `\na  b\n`\n", "a b\n", ReasonNone},
		{"in a documentation string", "def f():\n    \"\"\"\n    a  b\n    \"\"\"\n", "    a b\n", ReasonNone},
		{"in a here-document", "cat <<EOF\na  b\nEOF\n", "a b\n", ReasonNone},
		{"after an apostrophe", "# don't  do\n", "# don't do\n", ReasonNone},
		{"where marks do not come in pairs", "x = `\nb\na  b\n", "a b\n", ReasonNone},
		{"none against one", "f(a,b)\n", "f(a, b)\n", ReasonNone},
		{"only look-alikes besides", "a  “b”\n", "a \"b\"\n", ReasonNone},
		{"the same already", "a b\n", "a  b\n", ReasonNoop},
	} {
		new := "new\n"
		if c.reason == ReasonNoop {
			new = c.text
		}
		for _, all := range []bool{false, true} {
			_, _, err := Replace(c.text, c.old, new, Where{All: all})
			if r := refusal(t, err); r.Reason != c.reason {
				t.Errorf("%s: got %s, %v, want %s", c.name, r.Reason, r, c.reason)
			}
		}
	}
}

func TestReplaceDropsCopiedLineNumbers(t *testing.T) {
	const text = "one\n\ttwo\n\n\tthree\nfour\n"
	for _, c := range []struct{ name, old, new, want string }{
		{"with a bar", "2 | \ttwo\n3 |\n4 | \tthree\n", "2 | \tTWO\n3 |\n4 | \tthree\n", "one\n\tTWO\n\n\tthree\nfour\n"},
		{"with an arrow", "    2→\ttwo\n    3→\n    4→\tthree\n", "\tTWO\n\n\tthree\n", "one\n\tTWO\n\n\tthree\nfour\n"},
		{"with a colon", "1: one\n2: \ttwo", "1: ONE\n2: \ttwo", "ONE\n\ttwo\n\n\tthree\nfour\n"},
		{"with a colon and no space", "1:one\n2:\ttwo\n", "1:ONE\n2:\ttwo\n", "ONE\n\ttwo\n\n\tthree\nfour\n"},
		{"with a tab", "     5\tfour\n", "     5\tfive\n", "one\n\ttwo\n\n\tthree\nfive\n"},
		{"lines taken away", "4 | \tthree\n5 | four\n", "5 | four\n", "one\n\ttwo\n\nfour\n"},
		{"lines added", "5 | four\n", "5 | four\n6 | five\n", "one\n\ttwo\n\n\tthree\nfour\nfive\n"},
		{"nothing left", "5 | four\n", "", "one\n\ttwo\n\n\tthree\n"},
	} {
		es, m, err := Replace(text, c.old, c.new, Where{})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		} else if got := edittest.Apply(t, text, es...); got != c.want || m.Step != StepNumbers {
			t.Errorf("%s: got %q by %s, want %q", c.name, got, m.Step, c.want)
		}
	}
	for _, c := range []struct{ name, text, old, new string }{
		{"other numbers", text, "3 | \ttwo\n", "3 | x\n"},
		{"a line without a number", text, "1 | one\n\ttwo\n", "1 | x\n"},
		{"a number left out", text, "1 | one\n3 |\n", "1 | x\n"},
		{"two places", "a\nb\na\n", "1 | a\n", "1 | x\n"},
		{"some numbers in the new text", text, "1 | one\n2 | \ttwo\n", "1 | one\nnew\n2 | \ttwo\n"},
		{"other numbers in the new text", text, "1 | one\n", "7 | x\n"},
		{"numbers that fall", text, "1 | one\n2 | \ttwo\n", "2 | \ttwo\n1 | one\n"},
		{"other text", text, "1 | One\n", "1 | x\n"},
		{"indented otherwise", text, "2 | two\n3 |\n4 | three\n", "2 | x\n"},
	} {
		if es, m, err := Replace(c.text, c.old, c.new, Where{}); err == nil {
			t.Errorf("%s: %v by %s", c.name, es, m.Step)
		}
	}
	if es, m, err := Replace("x\n2: a\n", "2: a\n", "2: b\n", Where{}); err != nil || m.Step != StepExact || es[0].New != "2: b\n" {
		t.Errorf("numbers of the file itself: %v by %s, %v", es, m.Step, err)
	}
}

// Lines with their numbers in front mean the lines without, in that place or nowhere.
func TestNumberedLinesMeanTheirOwnPlace(t *testing.T) {
	edittest.Check(t, func(t *rapid.T) {
		text := folding(20).Draw(t, "text")
		l := edits.NewLines(text)
		first := rapid.IntRange(0, l.Count()-1).Draw(t, "first")
		last := min(first+rapid.IntRange(1, 4).Draw(t, "count"), l.Count())
		sign := rapid.SampledFrom([]string{" | ", "→", ": ", "\t", ":"}).Draw(t, "sign")
		off := rapid.SampledFrom([]int{0, 0, 0, 1}).Draw(t, "off")
		number := func(text string) string {
			var b strings.Builder
			for i, line := range linetext.Split(text) {
				b.WriteString(strconv.Itoa(first+1+i+off) + sign + line)
			}
			return b.String()
		}
		old := text[l.Start(first):l.Start(last)]
		new := folding(4).Draw(t, "new")
		es, m, err := Replace(text, number(old), number(new), Where{})
		if err != nil || m.Step != StepNumbers {
			return
		}
		if linetext.End(old) == "" {
			old, new = old+"\n", new+"\n"
		}
		want, _, err := Replace(text, old, new, Where{Lines: true})
		if err != nil || !slices.Equal(es, want) || edits.LineOf(text, m.Spans[0].Start) != first || off != 0 {
			t.Fatalf("Replace(%q, %q, %q): %v, want %v, %v", text, number(old), number(new), es, want, err)
		}
	})
}

func TestReplaceLeavesOutBlankLinesAround(t *testing.T) {
	const text = "a\n\tfoo()\n\tbar()\nb\nfoo()\n"
	for _, c := range []struct{ name, old, new, want, step string }{
		{"below", "\tbar()\n\n", "\tbaz()\n\n", "a\n\tfoo()\n\tbaz()\nb\nfoo()\n", "exact"},
		{"above", "\n\tbar()\n", "\n\tbaz()\n", "a\n\tfoo()\n\tbaz()\nb\nfoo()\n", "exact"},
		{"around, but not of the new text", "\n\n\tbar()\n  \n", "\tbaz()", "a\n\tfoo()\n\tbaz()\nb\nfoo()\n", "exact"},
		{"more of the new text", "\n\tbar()\n", "\n\n\tbaz()\n", "a\n\tfoo()\n\n\tbaz()\nb\nfoo()\n", "exact"},
		{"indented otherwise", "\nfoo()\nbar()\n\n", "\nfoo()\nbaz()\n\n", "a\n\tfoo()\n\tbaz()\nb\nfoo()\n", "indentation"},
		{"to take away", "\tbar()\n\n", "", "a\n\tfoo()\nb\nfoo()\n", "exact"},
	} {
		es, m, err := Replace(text, c.old, c.new, Where{})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		} else if got := edittest.Apply(t, text, es...); got != c.want || m.Step != c.step {
			t.Errorf("%s: got %q by %s, want %q by %s", c.name, got, m.Step, c.want, c.step)
		}
	}
	for _, old := range []string{"a\n\n", "\nfoo\n\n", "\n\n"} {
		if es, m, err := Replace("a\nb\na\n", old, "c\n", Where{}); err == nil {
			t.Errorf("%q: %v by %s", old, es, m.Step)
		}
	}
	if es, m, err := Replace("\n\ufeff\na", "\ufeff\na\n\n", "x\n\n", Where{}); err == nil {
		t.Errorf("a line with only a mark is not blank: %v by %s", es, m.Step)
	}
	if es, m, err := Replace("a\n\n aa", "\n\r\n a", "\n\n", Where{}); err == nil {
		t.Errorf("blank lines that the file has before a part of a line: %v by %s", es, m.Step)
	}
}

// Blank lines around whole lines, which the file does not have, change nothing.
func TestBlankLinesAroundMeanTheLinesBetween(t *testing.T) {
	edittest.Check(t, func(t *rapid.T) {
		text := folding(20).Draw(t, "text")
		l := edits.NewLines(text)
		first := rapid.IntRange(0, l.Count()-1).Draw(t, "first")
		old := text[l.Start(first):l.Start(min(first+rapid.IntRange(1, 3).Draw(t, "count"), l.Count()))]
		lines, lead, tail, ok := withoutBlankLines(old)
		if !ok {
			return
		}
		old = strings.Join(lines[lead:len(lines)-tail], "")
		switch linetext.End(old) {
		case "":
			old += "\n"
		case "\r":
			return // it would join the line end of a blank line
		}
		new := rapid.SampledFrom([]string{"x\n", "x\n\ny\n", ""}).Draw(t, "new")
		above, below := rapid.SampledFrom([]string{"", "\n", " \n\n"}).Draw(t, "above"), rapid.SampledFrom([]string{"\n", "\n\t\n"}).Draw(t, "below")
		es, m, err := Replace(text, above+old+below, above+new+below, Where{})
		if err != nil || new == "" {
			return
		}
		if _, err := Find(text, above+old+below, Where{}); err == nil {
			return // the file has them
		}
		want, _, err := Replace(text, old, new, Where{Lines: true})
		if err != nil || !slices.Equal(es, want) {
			t.Fatalf("Replace(%q, %q, %q): %v by %s, want %v, %v", text, above+old+below, above+new+below, es, m.Step, want, err)
		}
	})
}
