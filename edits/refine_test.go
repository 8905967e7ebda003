package edits

import (
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"redline/edits/internal/linetext"
)

func TestRefineTable(t *testing.T) {
	for _, c := range []struct {
		name, text string
		e          Edit
		want       []Edit
	}{
		{"nothing", "ab", Edit{Span{0, 1}, "a"}, nil},
		{"a character", "one\ntwo\n", Edit{Span{0, 8}, "one\ntwos\n"}, []Edit{{Span{7, 7}, "s"}}},
		{"two lines far apart", "a\nb\nc\nd\n", Edit{Span{0, 8}, "a1\nb\nc\nd2\n"}, []Edit{{Span{1, 1}, "1"}, {Span{7, 7}, "2"}}},
		{"two lines side by side", "a\nb\n", Edit{Span{0, 4}, "a1\nb2\n"}, []Edit{{Span{1, 1}, "1"}, {Span{3, 3}, "2"}}},
		{"a line like the next, put before it", "A\nB\n", Edit{Span{0, 4}, "A\nB2\nB\n"}, []Edit{{Span{2, 2}, "B2\n"}}},
		{"an exact insertion stays", "A\nB\n", Edit{Span{3, 3}, "2\nB"}, []Edit{{Span{3, 3}, "2\nB"}}},
		{"an exact deletion stays", "A\nB2\nB\n", Edit{Span{3, 6}, ""}, []Edit{{Span{3, 6}, ""}}},
		{"half a character", "é", Edit{Span{0, 2}, "è"}, []Edit{{Span{0, 2}, "è"}}},
		{"a line end", "a\r\nb", Edit{Span{0, 4}, "a\nb"}, []Edit{{Span{1, 3}, "\n"}}},
	} {
		got := Refine(c.text, c.e)
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
	check(t, func(t *rapid.T) {
		s := text(25).Draw(t, "text")
		e := edit(s).Draw(t, "edit")
		if rapid.Bool().Draw(t, "whole text") {
			e = Edit{Span{0, len(s)}, apply(t, s, editList(s).Draw(t, "edits")...)}
		}
		want, refined := apply(t, s, e), Refine(s, e)
		if got := apply(t, s, refined...); got != want {
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
	s := megabyte()
	at := len(s) / 2
	e := Edit{Span{0, len(s)}, s[:at] + "x" + s[at:]}
	for b.Loop() {
		Refine(s, e)
	}
}
