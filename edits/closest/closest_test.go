package closest_test

import (
	"testing"

	"redline/edits/closest"
)

// A part of a line ends with the marks that end the wanted text, such as a quotation mark, even if
// they are further on in the file.
func TestAPartEndsWithItsMarks(t *testing.T) {
	for _, c := range []struct{ text, old, near string }{
		{"\treturn \"boolean\"\n", "return \"boolx\"", "return \"boolean\""},
		{"\tcall(totals);\n", "call(totlx);", "call(totals);"},
		{"\treturn \"boolean\", nil\n", "return \"boolx", "return \"boolean"},
	} {
		if got := closest.Find(c.text, c.old); got == nil || got.Text != c.near {
			t.Errorf("%q in %q: %+v, want %q", c.old, c.text, got, c.near)
		}
	}
}

func TestFind(t *testing.T) {
	const text = "func a() {\n\treturn total(x)\n}\n\nfunc b() {\n\treturn total(y) + 1\n}\n"
	for _, c := range []struct {
		name, old  string
		line       int
		near       string
		others     int
		notNearest bool
	}{
		{name: "a line in another case", old: "\tReturn Total(x)\n", line: 2, near: "\treturn total(x)\n"},
		{name: "lines of which one differs", old: "func b() {\n\treturn sum(y) + 1\n}\n", line: 5, near: "func b() {\n\treturn total(y) + 1\n}\n"},
		{name: "a part of a line", old: "totl(y) + 1", line: 6, near: "total(y) + 1"},
		{name: "one of two", old: "func c() {\n", line: 1, near: "func a() {\n", others: 1},
		{name: "nothing like it", old: "import numpy as np\n", notNearest: true},
	} {
		got := closest.Find(text, c.old)
		switch {
		case c.notNearest:
			if got != nil {
				t.Errorf("%s: %+v", c.name, got)
			}
		case got == nil || got.Line != c.line || got.Text != c.near || len(got.Others) != c.others:
			t.Errorf("%s: %+v", c.name, got)
		}
	}
}
