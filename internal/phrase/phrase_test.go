package phrase_test

import (
	"errors"
	"fmt"
	"testing"

	"redline/internal/phrase"
)

func TestClip(t *testing.T) {
	for _, c := range []struct {
		text  string
		n     int
		clip  string // at most n characters
		start string // n characters, and a sign that there are more
	}{
		{"", 3, "", ""},
		{"abc", 3, "abc", "abc"},
		{"abcd", 3, "ab…", "abc…"},
		{"äöü", 3, "äöü", "äöü"},
		{"äöüß", 3, "äö…", "äöü…"},
		{"日本語です", 1, "…", "日…"},
	} {
		if got := phrase.Clip(c.text, c.n); got != c.clip {
			t.Errorf("Clip(%q, %d) = %q, want %q", c.text, c.n, got, c.clip)
		}
		if got := phrase.Start(c.text, c.n); got != c.start {
			t.Errorf("Start(%q, %d) = %q, want %q", c.text, c.n, got, c.start)
		}
	}
}

func TestClipWords(t *testing.T) {
	for _, c := range []struct {
		text  string
		limit int
		want  string
	}{
		{"fix the sum", 11, "fix the sum"},
		{"fix the sum", 10, "fix the…"},
		{"fix the sum", 8, "fix the…"},
		{"fix, the sum", 9, "fix, the…"},
		{"fix a, then b", 8, "fix a…"},
		{"a considerable sum", 10, "a conside…"},
		{"größere", 4, "grö…"},
	} {
		if got := phrase.ClipWords(c.text, c.limit); got != c.want {
			t.Errorf("%q in %d characters is %q, want %q", c.text, c.limit, got, c.want)
		}
	}
}

func TestClipBytes(t *testing.T) {
	for _, c := range []struct {
		text  string
		n     int
		clip  string // at most n bytes
		start string // n bytes, and a sign that there are more
	}{
		{"", 3, "", ""},
		{"abcd", 4, "abcd", "abcd"},
		{"abcde", 4, "a…", "abcd…"},
		{"ääää", 7, "ää…", "äää…"},
		{"ääää", 6, "ä…", "äää…"},
		{"ääää", 3, "…", "ä…"},
		{"a\xffbcdef", 6, "a\xffb…", "abcde…"},
	} {
		if got := phrase.ClipBytes(c.text, c.n); got != c.clip {
			t.Errorf("ClipBytes(%q, %d) = %q, want %q", c.text, c.n, got, c.clip)
		}
		if got := phrase.StartBytes(c.text, c.n); got != c.start {
			t.Errorf("StartBytes(%q, %d) = %q, want %q", c.text, c.n, got, c.start)
		}
	}
}

func TestLines(t *testing.T) {
	for _, c := range []struct{ name, got, want string }{
		{"one line", phrase.OneLine("\ta \r\n\n b\u00a0c "), "a b c"},
		{"one line of nothing", phrase.OneLine(" \n"), ""},
		{"joined lines keep their tabs", phrase.JoinAt("\na\tb\r\n\r\nc", "\r\n"), "a\tb c"},
		{"joined at tabs too", phrase.JoinAt("a\tb\r\n\tc ", "\r\n\t"), "a b c "},
		{"first line", phrase.FirstLine("\n  fix it \nplease", 20), "fix it"},
		{"first line, clipped", phrase.FirstLine("fix the sum\nplease", 8), "fix the…"},
		{"first line of bytes that are no text", phrase.FirstLine("a\xff\xffb", 8), "a\uFFFD\uFFFDb"},
		{"indented", phrase.Indent("# a\n\n```\r\n\n"), "    # a\n    \n    ```\n"},
	} {
		if c.got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, c.got, c.want)
		}
	}
}

func TestLists(t *testing.T) {
	names := []string{"a", "b", "c"}
	for _, c := range []struct{ got, want string }{
		{phrase.Count(0, "file"), "0 files"},
		{phrase.Count(1, "file"), "1 file"},
		{phrase.Count(12, "stale change"), "12 stale changes"},
		{phrase.And(nil), ""},
		{phrase.And(names[:1]), "a"},
		{phrase.And(names[:2]), "a and b"},
		{phrase.And(names), "a, b and c"},
		{phrase.Named("hunk", nil), "hunk"},
		{phrase.Named("hunk", names[:1]), "hunk a"},
		{phrase.Named("hunk", names), "hunks a, b and c"},
		{phrase.And(phrase.FirstOf(names, 3, "file")), "a, b and c"},
		{phrase.And(phrase.FirstOf(names, 2, "file")), "a, b and 1 more file"},
		{phrase.And(phrase.FirstOf(names, 1, "file")), "a and 2 more files"},
		{phrase.And(phrase.FirstOf(names[:1], 1, "file")), "a"},
		{fmt.Sprint(names), "[a b c]"}, // the names themselves are unchanged
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

type refusal string

func (r refusal) Error() string       { return string(r) }
func (r refusal) WholeSentence() bool { return true }

func TestSentences(t *testing.T) {
	refused := refusal("people.md was not changed: it is locked.")
	for _, c := range []struct{ got, want string }{
		{phrase.SentenceOf(refused), "people.md was not changed: it is locked."},
		{phrase.SentenceOf(fmt.Errorf("the turn ended: %w", refused)), "The turn ended: people.md was not changed: it is locked."},
		{phrase.SentenceOf(errors.New("no answer")), "No answer."},
		{phrase.SentenceOf(errors.New("is it there?")), "Is it there?"},
		{phrase.SentenceOf(errors.New("slow down!")), "Slow down!"},
		{phrase.Sentence("élan"), "Élan."},
		{phrase.Sentence("/tmp is full"), "/tmp is full."},
		{phrase.Sentence(""), ""},
		{phrase.FullStop("a.go was saved"), "a.go was saved."},
		{phrase.FullStop("a.go was saved."), "a.go was saved."},
		{phrase.TrimStop(" it is locked. "), "it is locked"},
		{phrase.TrimStop("it is locked"), "it is locked"},
		{phrase.TrimStop("run go test ./..."), "run go test ./..."},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}
