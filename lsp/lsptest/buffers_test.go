package lsptest

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"redline/edits"
	_ "redline/internal/seed"
)

var encodings = []edits.Encoding{edits.UTF8, edits.UTF16, edits.UTF32}

// pieces are what random texts are made of: all widths, all line ends, text outside the BMP, a BOM,
// and characters that combine.
var pieces = []string{"a", "b\t", " ", "\n", "\r\n", "\r", "é", "ß", "漢", "😀", "👩‍👩‍👧", "𐐀", "e\u0301", "\ufeff", "\x00", "\u2028"}

func text(rt *rapid.T, label string) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 12).Draw(rt, label), "")
}

// between draws sorted, separate edits of a text at places that a position can name: not inside a
// character or a line end.
func between(rt *rapid.T, lines *edits.Lines) []edits.Edit {
	var offsets []int
	for i := range len(lines.Text()) + 1 {
		if !divides(lines.Text(), i) {
			offsets = append(offsets, i)
		}
	}
	var es []edits.Edit
	for at := 0; at < len(offsets) && len(es) < 3; {
		start := rapid.IntRange(at, len(offsets)-1).Draw(rt, "start")
		end := rapid.IntRange(start, min(start+5, len(offsets)-1)).Draw(rt, "end")
		es = append(es, edits.Edit{Span: edits.Span{Start: offsets[start], End: offsets[end]}, New: text(rt, "new")})
		at = end + 1
	}
	return es
}

// TestTextsAgree: whatever the user types and the server sends, in every encoding and by every
// profile, the editor's text, the server's mirror of it and plain string editing agree byte for byte.
func TestTextsAgree(t *testing.T) {
	for _, enc := range encodings {
		for _, profile := range []Profile{Honest(), NeovimLike(), Neovim12Like(), HelixLike()} {
			t.Run(enc.String()+" "+profile.Name, func(t *testing.T) {
				profile.KeepsMarks = true // what is on disk is the text
				profile.EndsLines, profile.ConvertsLineEnds = false, false
				e, s := session(t, profile, enc, nil)
				rapid.Check(t, func(rt *rapid.T) {
					const path = "a b/ü😀.txt"
					if _, ok := e.buffers[path]; ok {
						must(t, e.Close(path))
					}
					want := text(rt, "text")
					write(t, e.onDisk(path), want)
					must(t, e.Open(path))
					for range rapid.IntRange(1, 4).Draw(rt, "steps") {
						lines := edits.NewLines(want)
						es := between(rt, lines)
						want, _ = edits.Apply(want, es)
						if rapid.Bool().Draw(rt, "typed") {
							must(t, e.Type(path, es...))
						} else {
							list := make([]any, len(es))
							for i, edit := range es {
								list[len(es)-1-i] = map[string]any{"range": rangeOf(lines.Range(edit.Span, enc)), "newText": edit.New}
							}
							s.wants(documentChanges(edit(e, path, nil, list...)), `{"applied":true}`)
						}
						if got := e.Text(path); got != want {
							rt.Fatalf("the editor has %q, want %q", got, want)
						}
						if got, _ := s.sees(e, path); got != want {
							rt.Fatalf("the server sees %q, want %q", got, want)
						}
					}
				})
			})
		}
	}
}

// TestDifference: the merged change of an editor never splits a character or a line end.
func TestDifference(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		before, after := text(rt, "before"), text(rt, "after")
		d := difference(before, after)
		if divides(before, d.Start) || divides(before, d.End) {
			rt.Errorf("%+v divides %q", d, before)
		}
		if got, err := edits.Apply(before, []edits.Edit{d}); err != nil || got != after {
			rt.Errorf("%+v makes %q of %q, want %q (%v)", d, got, before, after, err)
		}
	})
}

// TestUserActs walks through what a user does to a file.
func TestUserActs(t *testing.T) {
	e, s := session(t, Honest(), edits.UTF16, map[string]string{"a.go": "one\r\ntwo 😀\r\n"})
	if got := e.Text("a.go"); got != "one\r\ntwo 😀\r\n" {
		t.Errorf("the text on disk is %q", got)
	}
	if err := e.Insert("a.go", 0, 0, "x"); err == nil {
		t.Error("a file that is not open was typed in")
	}
	must(t, e.Open("a.go"))
	must(t, e.Open("a.go"))
	must(t, e.Insert("a.go", 1, len("two 😀"), "!"))
	must(t, e.Replace("a.go", "one", "1"))
	if err := e.Replace("a.go", "three", "3"); err == nil {
		t.Error("text that is not there was replaced")
	}
	if err := e.Insert("a.go", 9, 0, "x"); err == nil {
		t.Error("a line that is not there was typed in")
	}
	want := "1\r\ntwo 😀!\r\n"
	if got, _ := s.sees(e, "a.go"); got != want || e.Text("a.go") != want || !e.Dirty("a.go") {
		t.Errorf("the server sees %q, the editor has %q (unsaved: %v), want %q", got, e.Text("a.go"), e.Dirty("a.go"), want)
	}
	must(t, e.Undo("a.go"))
	if got, _ := s.sees(e, "a.go"); got != "one\r\ntwo 😀!\r\n" {
		t.Errorf("after undo the server sees %q", got)
	}
	must(t, e.SaveAll())
	if disk, err := os.ReadFile(e.onDisk("a.go")); err != nil || string(disk) != "one\r\ntwo 😀!\r\n" || e.Dirty("a.go") {
		t.Errorf("the disk has %q (%v)", disk, err)
	}
	must(t, e.Undo("a.go"))
	if err := e.Undo("a.go"); err == nil {
		t.Error("more was undone than done")
	}
	must(t, e.Close("a.go"))
	if got := e.Text("a.go"); got != "one\r\ntwo 😀!\r\n" {
		t.Errorf("closing kept unsaved text: %q", got)
	}
	must(t, e.Open("new.txt"))
	must(t, e.Insert("new.txt", 0, 0, "hello"))
	must(t, e.Save("new.txt"))
	s.sync(e)
	wantTrace := []string{
		"open a.go", "change a.go", "change a.go", "change a.go", "save a.go", "change a.go", "close a.go",
		"open new.txt", "change new.txt", "save new.txt",
	}
	if d := cmp.Diff(wantTrace, s.trace); d != "" {
		t.Error(d)
	}
}

// TestFullSync sends whole texts to a server that asks for them.
func TestFullSync(t *testing.T) {
	s := &server{t: t, full: true, mirror: map[string]*edits.Lines{}}
	e := s.start(t, Honest(), map[string]string{"a": "one"})
	must(t, e.Open("a"))
	must(t, e.Insert("a", 0, 3, " two"))
	if got, _ := s.sees(e, "a"); got != "one two" {
		t.Errorf("the server sees %q", got)
	}
	if !strings.Contains(e.Transcript(), `"contentChanges":[{"text":"one two"}]`) {
		t.Error("the change was not of the whole text")
	}
}

// TestByteOrderMark: an editor removes the mark and restores it, or keeps it in its text.
func TestByteOrderMark(t *testing.T) {
	const mark = "\ufeff"
	for _, keeps := range []bool{false, true} {
		profile, shown := Honest(), "one\n"
		if profile.KeepsMarks = keeps; keeps {
			shown = mark + shown
		}
		e, s := session(t, profile, edits.UTF16, map[string]string{"a": mark + "one\n"})
		if got := e.Text("a"); got != shown {
			t.Errorf("closed it is %q", got)
		}
		must(t, e.Open("a"))
		if got, _ := s.sees(e, "a"); got != shown {
			t.Errorf("the server sees %q", got)
		}
		must(t, e.Replace("a", "one", "1"))
		must(t, e.Save("a"))
		if disk, err := os.ReadFile(e.onDisk("a")); err != nil || string(disk) != mark+"1\n" {
			t.Errorf("on disk is %q, %v", disk, err)
		}
	}
}
