package edits_test

import (
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"redline/edits"
	"redline/edits/internal/edittest"
	"redline/edits/internal/linetext"
)

func TestRefineTable(t *testing.T) {
	for _, c := range []struct {
		name, text string
		e          edits.Edit
		want       []edits.Edit
	}{
		{"nothing", "ab", edits.Edit{Span: edits.Span{Start: 0, End: 1}, New: "a"}, nil},
		{"a character", "one\ntwo\n", edits.Edit{Span: edits.Span{Start: 0, End: 8}, New: "one\ntwos\n"}, []edits.Edit{{Span: edits.Span{Start: 7, End: 7}, New: "s"}}},
		{"two lines far apart", "a\nb\nc\nd\n", edits.Edit{Span: edits.Span{Start: 0, End: 8}, New: "a1\nb\nc\nd2\n"}, []edits.Edit{{Span: edits.Span{Start: 1, End: 1}, New: "1"}, {Span: edits.Span{Start: 7, End: 7}, New: "2"}}},
		{"two lines side by side", "a\nb\n", edits.Edit{Span: edits.Span{Start: 0, End: 4}, New: "a1\nb2\n"}, []edits.Edit{{Span: edits.Span{Start: 1, End: 1}, New: "1"}, {Span: edits.Span{Start: 3, End: 3}, New: "2"}}},
		{"a line like the next, put before it", "A\nB\n", edits.Edit{Span: edits.Span{Start: 0, End: 4}, New: "A\nB2\nB\n"}, []edits.Edit{{Span: edits.Span{Start: 2, End: 2}, New: "B2\n"}}},
		{"an exact insertion stays", "A\nB\n", edits.Edit{Span: edits.Span{Start: 3, End: 3}, New: "2\nB"}, []edits.Edit{{Span: edits.Span{Start: 3, End: 3}, New: "2\nB"}}},
		{"an exact deletion stays", "A\nB2\nB\n", edits.Edit{Span: edits.Span{Start: 3, End: 6}, New: ""}, []edits.Edit{{Span: edits.Span{Start: 3, End: 6}, New: ""}}},
		{"half a character", "é", edits.Edit{Span: edits.Span{Start: 0, End: 2}, New: "è"}, []edits.Edit{{Span: edits.Span{Start: 0, End: 2}, New: "è"}}},
		{"a line end", "a\r\nb", edits.Edit{Span: edits.Span{Start: 0, End: 4}, New: "a\nb"}, []edits.Edit{{Span: edits.Span{Start: 1, End: 3}, New: "\n"}}},
	} {
		got := edits.Refine(c.text, c.e)
		if len(got) != len(c.want) {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
			continue
		}
		for i := range got {
			if got[i] != c.want[i] {
				t.Errorf("%s: got %v, want %v", c.name, got, c.want)
			}
		}
	}
}

func TestRefineIsTheSameChange(t *testing.T) {
	edittest.Check(t, func(t *rapid.T) {
		s := edittest.Text(25).Draw(t, "text")
		e := edittest.Edit(s).Draw(t, "edit")
		if rapid.Bool().Draw(t, "whole text") {
			e = edits.Edit{Span: edits.Span{Start: 0, End: len(s)}, New: edittest.Apply(t, s, edittest.Edits(s).Draw(t, "edits")...)}
		}
		want, refined := edittest.Apply(t, s, e), edits.Refine(s, e)
		if got := edittest.Apply(t, s, refined...); got != want {
			t.Fatalf("%q with %v is %q, refined to %v it is %q", s, e, want, refined, got)
		}
		if !utf8.ValidString(s) || !utf8.ValidString(e.New) || linetext.Divides(s, e.Start) || linetext.Divides(s, e.End) {
			return // the edit itself Divides one
		}
		for _, r := range refined {
			if r.Start != e.Start && linetext.Divides(s, r.Start) || r.End != e.End && linetext.Divides(s, r.End) || !utf8.ValidString(r.New) {
				t.Fatalf("%q: refining %v to %v divides a character or a line end", s, e, r)
			}
		}
	})
}

func BenchmarkRefineWholeText(b *testing.B) {
	s := edittest.Megabyte()
	at := len(s) / 2
	e := edits.Edit{Span: edits.Span{Start: 0, End: len(s)}, New: s[:at] + "x" + s[at:]}
	for b.Loop() {
		edits.Refine(s, e)
	}
}
