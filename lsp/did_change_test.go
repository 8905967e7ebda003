package lsp

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"redline/edits"
	"redline/lsp/wire"
)

func change(l1, c1, l2, c2 int64, text string) wire.ContentChange {
	return wire.ContentChange{HasRange: true, Text: text,
		Range: wire.Range{Start: wire.Position{Line: l1, Character: c1}, End: wire.Position{Line: l2, Character: c2}}}
}

func TestFollow(t *testing.T) {
	for name, c := range map[string]struct {
		text    string
		changes []wire.ContentChange
		want    string
	}{
		"one after the other":   {"ab\n", []wire.ContentChange{change(0, 1, 0, 1, "x"), change(0, 2, 0, 3, "y")}, "axy\n"},
		"outside the BMP":       {"a😀b\n", []wire.ContentChange{change(0, 3, 0, 4, "c")}, "a😀c\n"},
		"a whole text":          {"ab\n", []wire.ContentChange{{Text: "new\n"}, change(0, 0, 0, 1, "N")}, "New\n"},
		"cut at the end":        {"a\nb", []wire.ContentChange{change(1, 0, 9, 9, "c")}, "a\nc"},
		"appended past the end": {"a\n", []wire.ContentChange{change(5, 0, 5, 0, "b")}, "a\nb"},
		"the whole range":       {"a\nb\n", []wire.ContentChange{change(0, 0, 2, 0, "")}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := &session{}
			lines, es, err := s.follow(edits.NewLines(c.text), c.changes)
			if err != nil {
				t.Fatal(err)
			}
			if lines.Text() != c.want {
				t.Errorf("got %q, want %q", lines.Text(), c.want)
			}
			if again := inSequence(t, c.text, es); again != c.want {
				t.Errorf("the edits lead to %q, want %q", again, c.want)
			}
		})
	}
	if _, _, err := (&session{}).follow(edits.NewLines("ab"), []wire.ContentChange{change(0, 2, 0, 1, "")}); err == nil {
		t.Error("a reversed range was taken")
	}
}

func inSequence(t interface{ Fatal(...any) }, text string, es []edits.Edit) string {
	for _, e := range es {
		next, err := edits.Apply(text, []edits.Edit{e})
		if err != nil {
			t.Fatal(err)
		}
		text = next
	}
	return text
}

// Whatever is sent as the whole text is the text afterwards, and the edits
// that observers are told of lead there.
func TestFollowWholeTexts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.SampledFrom([]string{"a\n", "b\n", "😀\r\n", "\n", "c"})
		draw := func(label string) string { return strings.Join(rapid.SliceOfN(line, 0, 40).Draw(t, label), "") }
		before, after := draw("before"), draw("after")
		lines, es, err := (&session{}).follow(edits.NewLines(before), []wire.ContentChange{{Text: after}})
		if err != nil || lines.Text() != after {
			t.Fatalf("got %q, %v, want %q", lines.Text(), err, after)
		}
		if len(es) <= maxEdits {
			if got := inSequence(t, before, es); got != after {
				t.Errorf("the edits lead to %q, want %q", got, after)
			}
		}
	})
}

func TestDamagedDocuments(t *testing.T) {
	d := &damaged{}
	if !d.lost("u", "p") || d.lost("u", "p") {
		t.Error("only the first loss is news")
	}
	if !d.holds("p") || d.holds("") {
		t.Error("the path is not known")
	}
	if _, err := d.usable("u", []wire.ContentChange{change(0, 0, 0, 0, "x")}); err == nil {
		t.Error("a change of an unknown text was taken")
	}
	got, err := d.usable("u", []wire.ContentChange{change(0, 0, 0, 0, "x"), {Text: "whole"}, change(0, 0, 0, 0, "y")})
	if err != nil || len(got) != 2 || got[0].Text != "whole" {
		t.Errorf("got %v, %v: a whole text repairs it", got, err)
	}
	if _, err := d.usable("u", []wire.ContentChange{change(0, 0, 0, 0, "x")}); err != nil {
		t.Errorf("it was not repaired: %v", err)
	}
}

func changeParams(uri, changes string) *wire.DidChangeParams {
	p := &wire.DidChangeParams{ContentChanges: json.RawMessage(changes)}
	p.TextDocument.URI, p.TextDocument.Version = uri, 2
	return p
}
