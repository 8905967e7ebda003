package textsync

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"redline/edits"
	_ "redline/internal/seed"
	"redline/internal/wire"
	"redline/lsp/position"
	"redline/workspace"
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
			lines, es, err := follow(position.Mapper{}, edits.NewLines(c.text), c.changes)
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
	if _, _, err := follow(position.Mapper{}, edits.NewLines("ab"), []wire.ContentChange{change(0, 2, 0, 1, "")}); err == nil {
		t.Error("a reversed range was taken")
	}
}

func inSequence(t interface{ Fatal(...any) }, text string, lists [][]edits.Edit) string {
	for _, es := range lists {
		next, err := edits.Apply(text, es)
		if err != nil {
			t.Fatal(err)
		}
		text = next
	}
	return text
}

// Whatever is sent as the whole text is the text afterwards, and the edits that observers
// get lead to it.
func TestFollowWholeTexts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.SampledFrom([]string{"a\n", "b\n", "😀\r\n", "\n", "c"})
		draw := func(label string) string { return strings.Join(rapid.SliceOfN(line, 0, 40).Draw(t, label), "") }
		before, after := draw("before"), draw("after")
		lines, es, err := follow(position.Mapper{}, edits.NewLines(before), []wire.ContentChange{{Text: after}})
		if err != nil || lines.Text() != after {
			t.Fatalf("got %q, %v, want %q", lines.Text(), err, after)
		}
		if got := inSequence(t, before, es); got != after {
			t.Errorf("the edits lead to %q, want %q", got, after)
		}
	})
}

// Whatever their order, each change refers to the text that the one before it left. For the
// client a byte order mark at its start is part of that text, for the server it is not.
func TestFollowChangesInAnyOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		piece := rapid.SampledFrom([]string{"a\n", "b\n", "😀\r\n", "\n", "\r", "\r\n", "c", "é", edits.BOM})
		draw := func(label string, n int) string {
			return strings.Join(rapid.SliceOfN(piece, 0, n).Draw(t, label), "")
		}
		before := rapid.SampledFrom([]string{"", edits.BOM}).Draw(t, "mark") + draw("before", 30)
		m := position.Mapper{Encoding: rapid.SampledFrom([]edits.Encoding{edits.UTF8, edits.UTF16, edits.UTF32}).Draw(t, "encoding")}
		one := edits.NewLines(before) // the changes made one by one
		var changes []wire.ContentChange
		down := rapid.Bool().Draw(t, "downwards")
		line := 0
		if !down {
			line = one.Count()
		}
		for range rapid.IntRange(1, 6).Draw(t, "changes") {
			step := rapid.IntRange(-1, 4).Draw(t, "step")
			if !down {
				step = -step
			}
			line = min(max(line+step, 0), one.Count())
			l1, c1 := int64(line), int64(rapid.IntRange(0, 3).Draw(t, "character"))
			l2, c2 := l1+int64(rapid.IntRange(0, 1).Draw(t, "lines")), c1+int64(rapid.IntRange(0, 3).Draw(t, "length"))
			c := change(l1, c1, l2, c2, draw("new", 3))
			e, err := newBatch(m, one).edit(c, 0)
			if err != nil {
				continue
			}
			one, changes = one.Replace(e), append(changes, c)
		}
		was := edits.NewLines(before).CutMark()
		lines, es, err := follow(m, was, changes)
		if err != nil || lines.Whole().Text() != one.Text() {
			t.Fatalf("%q with %+v is %q, %v, want %q", before, changes, lines.Whole().Text(), err, one.Text())
		}
		if want, marked := edits.CutBOM(one.Text()); lines.Text() != want || lines.Marked() != marked {
			t.Fatalf("the text is %q, marked %v, want %q", lines.Text(), lines.Marked(), want)
		}
		if got := inSequence(t, was.Text(), es); got != lines.Text() {
			t.Errorf("the edits %+v lead to %q, want %q", es, got, lines.Text())
		}
	})
}

// An editor that makes many edits at once sends them from the last to the first, or from
// the first to the last; either way the text is copied once.
func TestFollowManyChangesAtOnce(t *testing.T) {
	text := strings.Repeat("an apple\nand more\n", 100)
	var down []wire.ContentChange
	for i := range int64(100) {
		down = append(down, change(3*i, 3, 3*i, 8, "pear\nor two"))
	}
	var up []wire.ContentChange
	for i := range int64(100) {
		up = append(up, change(2*(99-i), 3, 2*(99-i), 8, "pear\nor two"))
	}
	for name, changes := range map[string][]wire.ContentChange{"from the first on": down, "from the last on": up} {
		lines, es, err := follow(position.Mapper{}, edits.NewLines(text), changes)
		if want := strings.ReplaceAll(text, "apple", "pear\nor two"); err != nil || lines.Text() != want {
			t.Fatalf("%s: got %q, %v", name, lines.Text(), err)
		}
		if len(es) != 1 || len(es[0]) < 100 {
			t.Errorf("%s: the edits are in %d lists", name, len(es))
		}
	}
}

// A document whose text is unknown is followed again only after a whole text.
func TestLostDocuments(t *testing.T) {
	w := workspace.New([]workspace.Folder{{Dir: t.TempDir()}}, workspace.Options{})
	d := New(w, position.Mapper{})
	uri := w.URI("p")
	change := func(changes string) error {
		p := &wire.DidChangeParams{ContentChanges: json.RawMessage(changes)}
		p.TextDocument.URI, p.TextDocument.Version = uri, 2
		_, err := d.Change(p)
		return err
	}
	const insert, whole = `{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":0}},"text":"x"}`, `{"text":"whole"}`
	d.Open(uri, "text", 1, "a\n")
	for i, again := range []bool{false, true} {
		err := change(`[{"range":null,"text":"x"}]`)
		if lost, ok := errors.AsType[*LostError](err); !ok || lost.Again != again {
			t.Errorf("%d: got %v: only the first loss is news", i, err)
		}
	}
	if !d.Lost("p") || d.Lost("") || d.Lost("other") {
		t.Error("the path is not known")
	}
	if _, open := w.BufferURI(uri); open {
		t.Error("it is still open")
	}
	if err := change("[" + insert + "]"); err == nil {
		t.Error("a change of an unknown text was taken")
	}
	if err := change("[" + insert + "," + whole + "," + insert + "]"); err != nil || d.Lost("p") {
		t.Errorf("a whole text did not repair it: %v", err)
	}
	if b, ok := w.BufferURI(uri); !ok || b.Lines.Text() != "xwhole" {
		t.Errorf("the text is %+v", b)
	}
	if err := change("[" + insert + "]"); err != nil {
		t.Errorf("it was not repaired: %v", err)
	}
}
