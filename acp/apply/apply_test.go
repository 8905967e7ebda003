package apply_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	acp "github.com/coder/acp-go-sdk"

	"redline/acp/apply"
	"redline/edits"
)

const before = "one\ntwo\nthree\nfour\n"

// Whatever a client does with a text and whatever it answers, the result is what the texts
// show.
func TestClientsThatLie(t *testing.T) {
	const want = "one\nTWO words\nthree\nfour\n"
	no := &acp.RequestError{Code: -32603, Message: "disk full"}
	for name, x := range map[string]struct {
		writes func(h *harness, name, text string) error
		status edits.Status
		reason string
		disk   string
	}{
		"writes":              {func(h *harness, name, text string) error { h.client.save(name, text); return nil }, edits.Done, "", want},
		"writes, answers no":  {func(h *harness, name, text string) error { h.client.save(name, text); return no }, edits.Done, "", want},
		"does not save":       {func(h *harness, name, text string) error { h.client.shows(name, text); return nil }, edits.Done, "", before},
		"refuses":             {func(*harness, string, string) error { return no }, edits.Refused, "refused the edit: disk full", before},
		"writes nothing":      {func(*harness, string, string) error { return nil }, edits.Refused, "but its text is as it was", before},
		"writes another file": {func(h *harness, name, text string) error { h.client.save(name+"2", text); return nil }, edits.Refused, "but its text is as it was", before},
		"formats": {func(h *harness, name, text string) error {
			h.client.save(name, strings.ReplaceAll(text, "T", "  T"))
			return nil
		}, edits.Done, "", "one\n  TWO words\nthree\nfour\n"},
		"writes the half":     {func(h *harness, name, text string) error { h.client.save(name, text[:len(text)/2]); return nil }, edits.Refused, "it wrote only a part of the text", before},
		"writes the half, no": {func(h *harness, name, text string) error { h.client.save(name, text[:len(text)/2]); return no }, edits.Refused, "disk full", before},
		"empties":             {func(h *harness, name, text string) error { h.client.save(name, ""); return nil }, edits.Refused, "it wrote only a part of the text", before},
		"loses a line": {func(h *harness, name, text string) error {
			h.client.save(name, strings.Replace(text, "three\n", "", 1))
			return nil
		}, edits.Half, "changed while the edit was made", "one\nTWO words\nfour\n"},
		"writes it twice": {func(h *harness, name, text string) error { h.client.save(name, text+text); return nil }, edits.Half, "changed while the edit was made", want + want},
		"appends":         {func(h *harness, name, text string) error { h.client.save(name, before+text); return nil }, edits.Half, "changed while the edit was made", before + want},
		"somebody types":  {func(h *harness, name, text string) error { h.client.save(name, text+"five\n"); return nil }, edits.Done, "", want + "five\n"},
		"saves another text": {func(h *harness, name, text string) error {
			h.client.save(name, "junk\n")
			h.client.shows(name, text)
			return nil
		}, edits.Half, "the disk has another text", "junk\n"},
		"writes behind a buffer": {func(h *harness, name, text string) error {
			h.client.save(name, text)
			h.client.shows(name, before)
			return nil
		}, edits.Half, "the editor shows another text", want},
		"writes junk":      {func(h *harness, name, text string) error { h.client.save(name, "junk\n"); return nil }, edits.Half, "changed while the edit was made", "junk\n"},
		"deletes the file": {func(h *harness, name, text string) error { return os.Remove(name) }, edits.Half, "changed while the edit was made", "none"},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHarness(t, readsAndWrites, map[string]string{"f": before})
			h.client.onWrite = func(_ context.Context, name, text string) error { return x.writes(h, name, text) }
			r := h.one(t, replace("f", before, "two", "TWO words"))
			if r.Path != "f" || r.Status != x.status || !strings.Contains(r.Reason, x.reason) || (r.Reason == "") != (x.reason == "") {
				t.Errorf("got %v %q, want %v %q", r.Status, r.Reason, x.status, x.reason)
			}
			if got := h.onDisk("f"); got != x.disk {
				t.Errorf("the disk has %q, want %q", got, x.disk)
			}
		})
	}
}

// A client that cannot read, or tells nonsense, is believed in nothing: the disk counts.
func TestClientsThatCannotRead(t *testing.T) {
	tell := func(raw string, err error) func(string) (json.RawMessage, error) {
		return func(string) (json.RawMessage, error) { return json.RawMessage(raw), err }
	}
	for name, read := range map[string]func(string) (json.RawMessage, error){
		"an error": tell("", &acp.RequestError{Code: -32601, Message: "what?"}),
		"nothing":  tell(`{"content":""}`, nil), "null": tell("null", nil), "a number": tell(`{"content":7}`, nil),
		"no content": tell("{}", nil), "no text": tell(`{"content":"a\u0000"}`, nil), "no object": tell(`"x"`, nil),
	} {
		t.Run(name, func(t *testing.T) {
			h := newHarness(t, readsAndWrites, map[string]string{"f": before})
			h.client.onRead = read
			h.Refresh(t.Context(), []string{"f", "none"})
			if open := h.workspace.Buffers(); len(open) > 0 {
				t.Errorf("%v is taken for an unsaved text", open[0])
			}
			if r := h.one(t, replace("f", before, "two", "2")); r.Status != edits.Done || h.onDisk("f") != "one\n2\nthree\nfour\n" {
				t.Errorf("got %+v", r)
			}
			h.client.onWrite = func(context.Context, string, string) error { return nil }
			if r := h.one(t, replace("f", h.onDisk("f"), "2", "3")); r.Status != edits.Unverified || !strings.Contains(r.Reason, "neither it nor the disk shows that") {
				t.Errorf("a change that nobody can see is %+v", r)
			}
		})
	}
}

// A formatter of the client may remove imports that are not used, as long as the edits stay.
func TestAFormatterRemovesImports(t *testing.T) {
	const base = "package a\n\nimport (\n\t\"fmt\"\n\t\"os\"\n)\n\nfunc a() { fmt.Println(1) }\n"
	for name, x := range map[string]struct {
		change edits.Change
		lost   string
		status edits.Status
	}{
		"another import":   {replace("a.go", base, "1", "2"), "\t\"os\"\n", edits.Done},
		"of a new file":    {edits.Change{Path: "b.go", Kind: edits.Create, Text: base}, "\t\"os\"\n", edits.Done},
		"the planned one":  {replace("a.go", base, "\t\"os\"\n", "\t\"os\"\n\t\"io\"\n"), "\t\"io\"\n", edits.Refused},
		"and another line": {replace("a.go", base, "1", "2"), "package a\n", edits.Half},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHarness(t, readsAndWrites, map[string]string{"a.go": base})
			h.client.onWrite = func(_ context.Context, name, text string) error {
				h.client.save(name, strings.Replace(text, x.lost, "", 1))
				return nil
			}
			if r := h.one(t, x.change); r.Status != x.status || (r.Reason == "") != (x.status == edits.Done) {
				t.Errorf("got %+v", r)
			}
		})
	}
}

// A text is read right before it is written, so that only what is typed in that moment is lost, and read back
// after it.
func TestATextIsReadRightBeforeItIsWritten(t *testing.T) {
	h := newHarness(t, readsAndWrites, map[string]string{"a": before, "b": before})
	h.client.onWrite = func(_ context.Context, name, text string) error {
		if filepath.Base(name) == "a" {
			h.client.shows(h.name("b"), before+"typed\n")
		}
		h.client.save(name, text)
		return nil
	}
	results, err := h.Apply(t.Context(), []edits.Change{replace("a", before, "two\n", "2\n"), replace("b", before, "two\n", "2\n")}, nil)
	if err != nil || len(results) != 2 || h.onDisk("a") != "one\n2\nthree\nfour\n" || h.onDisk("b") != "one\n2\nthree\nfour\ntyped\n" {
		t.Errorf("got %+v, %v; b is %q", results, err, h.onDisk("b"))
	}
	asked := strings.Join(h.client.asked, ", ")
	for _, path := range []string{"a", "b"} {
		if in := fmt.Sprintf("fs/read_text_file %s, fs/write_text_file %[1]s, fs/read_text_file %[1]s", path); !strings.Contains(asked, in) {
			t.Errorf("there is no %q in %q", in, asked)
		}
	}
}

// The last line end is as it should be, also with a client that doubles or loses it. The
// client is sent a text twice only the first time.
func TestLastLineEnd(t *testing.T) {
	for name, alter := range map[string]func(string) string{
		"doubles": func(s string) string { return s + "\n" },
		"loses":   func(s string) string { return strings.TrimSuffix(s, "\n") },
	} {
		t.Run(name, func(t *testing.T) {
			h := newHarness(t, readsAndWrites, map[string]string{"a": before, "b": before})
			h.client.onWrite = func(_ context.Context, name, text string) error { h.client.save(name, alter(text)); return nil }
			for i, path := range []string{"a", "b"} {
				r := h.one(t, replace(path, before, "two", "2"))
				if want := "one\n2\nthree\nfour\n"; r.Status != edits.Done || h.onDisk(path) != want || r.Text != want {
					t.Errorf("%+v; the disk has %q", r, h.onDisk(path))
				}
				if n := len(h.client.written); n != 2+i {
					t.Errorf("the client was sent %d texts for %d files", n, i+1)
				}
			}
		})
	}
}

// What the editor has not saved is the text that counts, and nothing is done behind it.
func TestUnsavedTexts(t *testing.T) {
	const typed = "zero\n" + before
	for name, x := range map[string]struct {
		change edits.Change
		status edits.Status
		disk   string
	}{
		"an edit fits":     {replace("f", before, "two\n", "2\n"), edits.Done, "zero\none\n2\nthree\nfour\n"},
		"an edit is stale": {replace("f", "zeta\n"+before, "zeta", "eta"), edits.Refused, before},
		"a deletion":       {edits.Change{Path: "f", Kind: edits.Delete, Base: before}, edits.Refused, before},
		"a move":           {edits.Change{Path: "f", Kind: edits.Rename, NewPath: "g", Base: before}, edits.Refused, before},
		"a move over":      {edits.Change{Path: "h", Kind: edits.Rename, NewPath: "f", Base: "h\n"}, edits.Refused, before},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHarness(t, readsAndWrites, map[string]string{"f": before, "h": "h\n"})
			h.client.shows(h.name("f"), typed)
			h.Refresh(t.Context(), []string{"f"})
			if b, open := h.workspace.Buffer("f"); !open || !b.Dirty || b.Lines.Text() != typed {
				t.Fatalf("the unsaved text is not known: %+v", b)
			}
			if r := h.one(t, x.change); r.Status != x.status || (r.Status == edits.Refused) != (r.Reason != "") {
				t.Errorf("got %+v", r)
			}
			if got := h.onDisk("f"); got != x.disk {
				t.Errorf("the disk has %q, want %q", got, x.disk)
			}
		})
	}
}

// Saved texts are no open documents, whatever their line ends and their last one.
func TestSavedTexts(t *testing.T) {
	h := newHarness(t, readsAndWrites, map[string]string{"f": "a\r\nb\r\n", "g": "g\n", "bin": "\x00\x01"})
	h.client.shows(h.name("f"), "a\nb")
	h.client.shows(h.name("g"), "typed\n")
	h.Refresh(t.Context(), []string{"f", "g", "bin", "none"})
	if open := h.workspace.Buffers(); len(open) != 1 || open[0].Path != "g" {
		t.Errorf("open are %+v", open)
	}
	h.client.shows(h.name("g"), "typed more\n")
	h.Refresh(t.Context(), nil)
	if b, open := h.workspace.Buffer("g"); !open || b.Lines.Text() != "typed more\n" {
		t.Errorf("g is %+v", b)
	}
	h.client.save(h.name("g"), "typed more\n")
	h.Refresh(t.Context(), nil)
	if open := h.workspace.Buffers(); len(open) != 0 {
		t.Errorf("after saving, %+v is open", open[0])
	}
}

// A text cannot say everything: that is changed on the disk, and the client is not asked.
func TestOnTheDisk(t *testing.T) {
	files := map[string]string{"crlf": "a\r\nb\r\n", "bom": edits.BOM + "a\n", "f": "a\n", "latin": "\xe9\n"}
	for name, x := range map[string]struct {
		change edits.Change
		path   string
		disk   string
	}{
		"CRLF":            {replace("crlf", "a\r\nb\r\n", "b", "c"), "crlf", "a\r\nc\r\n"},
		"byte order mark": {replace("bom", "a\n", "a", "b"), "bom", edits.BOM + "b\n"},
		"permissions":     {edits.Change{Path: "run", Kind: edits.Create, Text: "x\n", Mode: 0o755}, "run", "x\n"},
		"new with CRLF":   {edits.Change{Path: "new", Kind: edits.Create, Text: "x\r\n"}, "new", "x\r\n"},
		"deletion":        {edits.Change{Path: "f", Kind: edits.Delete, Base: "a\n"}, "f", "none"},
		"move":            {edits.Change{Path: "f", NewPath: "d/g", Kind: edits.Rename, Base: "a\n"}, "d/g", "a\n"},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHarness(t, readsAndWrites, files)
			if r := h.one(t, x.change); r.Status != edits.Done || h.onDisk(x.path) != x.disk {
				t.Errorf("got %+v; the disk has %q", r, h.onDisk(x.path))
			}
			if h.client.wrote() {
				t.Error("the client was asked to write")
			}
		})
	}
	h := newHarness(t, apply.Client{}, files)
	if r := h.one(t, replace("f", "a\n", "a", "b")); r.Status != edits.Done || h.onDisk("f") != "b\n" || len(h.client.asked) > 0 {
		t.Errorf("a client without files: %+v, asked %v", r, h.client.asked)
	}
}

// A new file goes through the client, with the folders that it needs. If the client does not
// make it, they are not left.
func TestNewFiles(t *testing.T) {
	create := edits.Change{Path: "a/b/new", Kind: edits.Create, Text: "x\n"}
	h := newHarness(t, readsAndWrites, map[string]string{"f": ""})
	if r := h.one(t, create); r.Status != edits.Done || h.onDisk("a/b/new") != "x\n" || !h.client.wrote() {
		t.Errorf("got %+v", r)
	}
	if r := h.one(t, create); r.Status != edits.Refused || !strings.Contains(r.Reason, "now exists") {
		t.Errorf("over a file: %+v", r)
	}
	for name, write := range map[string]func(name, text string) error{
		"nothing": func(string, string) error { return nil },
		"a part":  func(name, _ string) error { return os.WriteFile(name, []byte("x"), 0o644) },
		"an error": func(string, string) error {
			return &acp.RequestError{Code: -32603, Message: "no"}
		},
	} {
		h := newHarness(t, readsAndWrites, map[string]string{"f": ""})
		h.client.onWrite = func(_ context.Context, name, text string) error { return write(name, "xyz\n") }
		c := create
		c.Text = "xyz\n"
		if r := h.one(t, c); r.Status != edits.Refused || r.Reason == "" || h.onDisk("a/b/new") != "none" {
			t.Errorf("%s: got %+v; the disk has %q", name, r, h.onDisk("a/b/new"))
		}
		if _, err := os.Stat(filepath.Join(h.dir, "a")); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: the folder is left: %v", name, err)
		}
	}
}

// Several changes are made in order, up to the first that is refused. What cannot be made
// from the start keeps all from being begun.
func TestSeveralChanges(t *testing.T) {
	files := map[string]string{"a": "a\n", "b": "b\n", "c": "c\n"}
	all := []edits.Change{replace("a", "a\n", "a", "1"), replace("b", "b\n", "b", "2"), replace("c", "c\n", "c", "3")}
	h := newHarness(t, readsAndWrites, files)
	var told []int
	results, err := h.Apply(t.Context(), all, func(n int) { told = append(told, n) })
	if err != nil || len(results) != 3 || !reflect.DeepEqual(told, []int{1, 2, 3}) {
		t.Errorf("got %+v, %v, reported %v", results, err, told)
	}
	h, told = newHarness(t, readsAndWrites, files), nil
	h.client.onWrite = func(_ context.Context, name, text string) error {
		if filepath.Base(name) == "b" {
			return &acp.RequestError{Code: 1, Message: "locked"}
		}
		h.client.save(name, text)
		return nil
	}
	results, err = h.Apply(t.Context(), all, func(n int) { told = append(told, n) })
	if err != nil || len(results) != 2 || results[1].Status != edits.Refused || !reflect.DeepEqual(told, []int{1}) {
		t.Errorf("got %+v, %v, reported %v", results, err, told)
	}
	h = newHarness(t, readsAndWrites, files)
	stale := all[2]
	stale.Base, stale.Edits = "x\n", []edits.Edit{{Span: edits.Span{End: 1}, New: "3"}}
	results, err = h.Apply(t.Context(), []edits.Change{all[0], stale}, nil)
	if err != nil || len(results) != 2 || !strings.HasPrefix(results[0].Reason, "It was not begun, because c cannot be changed") || h.client.wrote() {
		t.Errorf("got %+v, %v", results, err)
	}
}

// A client that does not answer leaves the result unknown, until it answers.
func TestLateAnswers(t *testing.T) {
	h := newHarness(t, readsAndWrites, map[string]string{"f": before})
	answer := make(chan struct{})
	h.client.onWrite = func(ctx context.Context, name, text string) error {
		select {
		case <-answer:
			h.client.save(name, text)
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	r := h.one(t, replace("f", before, "two", "2"))
	if r.Status != edits.Unknown || !strings.Contains(r.Reason, "has not answered yet") {
		t.Errorf("got %+v", r)
	}
	close(answer)
	if path := <-h.late; path != "f" || h.onDisk("f") != "one\n2\nthree\nfour\n" {
		t.Errorf("late is %q; the disk has %q", path, h.onDisk("f"))
	}
}

// A client that has written but never answers has made the change.
func TestNoAnswer(t *testing.T) {
	h := newHarness(t, readsAndWrites, map[string]string{"f": before})
	h.client.onWrite = func(ctx context.Context, name, text string) error {
		h.client.save(name, text)
		<-ctx.Done()
		return ctx.Err()
	}
	ctx, cancel := context.WithCancel(t.Context())
	results, err := h.Apply(ctx, []edits.Change{replace("f", before, "two", "2")}, nil)
	if err != nil || len(results) != 1 || results[0].Status != edits.Done {
		t.Errorf("got %+v, %v", results, err)
	}
	cancel()
}

// When the client is gone, the result says so, and nothing more is begun.
func TestGone(t *testing.T) {
	gone := errors.New("the connection has ended")
	h := newHarness(t, readsAndWrites, map[string]string{"a": "a\n", "b": "b\n"})
	h.client.onRead = func(string) (json.RawMessage, error) { return nil, gone }
	h.client.onWrite = func(context.Context, string, string) error { return gone }
	results, err := h.Apply(t.Context(), []edits.Change{replace("a", "a\n", "a", "1"), replace("b", "b\n", "b", "2")}, nil)
	if !errors.Is(err, gone) || len(results) != 1 || results[0].Status != edits.Unknown || results[0].Path != "a" {
		t.Errorf("got %+v, %v", results, err)
	}
}

// A client that answers no question for a text is asked once.
func TestSilentReader(t *testing.T) {
	h := newHarness(t, readsAndWrites, map[string]string{"a": "a\n", "b": "b\n"})
	h.client.shows(h.name("a"), "typed\n")
	h.Refresh(t.Context(), []string{"a"})
	h.client.onRead = func(string) (json.RawMessage, error) { return nil, context.DeadlineExceeded }
	h.client.asked = nil
	h.Refresh(t.Context(), []string{"a", "b"})
	if len(h.client.asked) != 1 {
		t.Errorf("asked %v", h.client.asked)
	}
	if b, open := h.workspace.Buffer("a"); !open || b.Lines.Text() != "typed\n" {
		t.Error("what it said before is forgotten")
	}
}
