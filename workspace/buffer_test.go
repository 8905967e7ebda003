package workspace

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"redline/edits"
)

// replaceWith returns the edit that replaces all of old by text.
func replaceWith(old *edits.Lines, text string) []edits.Edit {
	return []edits.Edit{{Span: edits.Span{End: len(old.Text())}, New: text}}
}

func TestBufferCountsOverDisk(t *testing.T) {
	w, _ := newWorkspace(t, map[string]string{"a.go": "disk"})
	uri := w.URI("a.go")
	if f, err := w.Read("a.go"); err != nil || f.Text != "disk" || f.Buffer != nil || f.URI != uri || !f.Mode.IsRegular() {
		t.Fatalf("closed: %+v, %v", f, err)
	}
	w.Open(uri, "go", 7, "disk")
	b, _ := w.Buffer("a.go")
	if b.Dirty || b.Version != 7 || b.Language != "go" || b.Path != "a.go" {
		t.Errorf("opened as on disk: %+v", b)
	}
	must(t, w.Update(uri, 3, b.Lines.Replace(edits.Edit{New: "my "}), []edits.Edit{{New: "my "}}))
	f, err := w.Read("a.go")
	if err != nil || f.Text != "my disk" || !f.Exists || f.Buffer == nil || !f.Buffer.Dirty || f.Buffer.Version != 3 {
		t.Errorf("changed: %+v, %v", f, err)
	}
	if b.Lines.Text() != "disk" || b.Dirty {
		t.Error("a buffer that was held changed")
	}
	other := "other"
	for _, saved := range []struct {
		text  *string
		dirty bool
	}{{&other, true}, {nil, false}, {&f.Text, false}} {
		w.Saved(uri, saved.text)
		if b, _ := w.Buffer("a.go"); b.Dirty != saved.dirty {
			t.Errorf("after saving %v: dirty %v", saved.text, b.Dirty)
		}
	}
	w.Close(uri)
	if f, _ := w.Read("a.go"); f.Text != "disk" || f.Buffer != nil {
		t.Errorf("closed again: %+v", f)
	}
	if err := w.Update(uri, 9, edits.NewLines(""), nil); err == nil {
		t.Error("a closed document was changed")
	}
	w.Close(uri)
	w.Saved(uri, nil)
}

func TestDirtyOnOpen(t *testing.T) {
	w, _ := newWorkspace(t, map[string]string{"a.go": "a\n", "crlf.go": "a\r\nb\r\n", "bom.go": "\ufeffa\n", "dir/": ""})
	for _, c := range []struct {
		path, text string
		dirty      bool
	}{
		{"a.go", "a\n", false},
		{"a.go", "b\n", true},
		{"crlf.go", "a\nb\n", false},
		{"bom.go", "a\n", false},
		{"new.go", "", false},
		{"new.go", "x", true},
		{"dir", "x", true},
	} {
		w.Open(w.URI(c.path), "go", 1, c.text)
		if b, _ := w.Buffer(c.path); b.Dirty != c.dirty {
			t.Errorf("%s opened with %q: dirty %v", c.path, c.text, b.Dirty)
		}
	}
	if f, err := w.Read("new.go"); err != nil || !f.Exists || f.Text != "x" || f.Mode != 0 {
		t.Errorf("an open document that was never saved: %+v, %v", f, err)
	}
	if exists, _, err := w.Stat("new.go"); exists || err != nil {
		t.Errorf("Stat of it: %v, %v", exists, err)
	}
}

func TestBufferOutsideTheWorkspace(t *testing.T) {
	w, _ := newWorkspace(t, nil)
	for _, uri := range []string{"untitled:Untitled-1", "file:///somewhere/else.go"} {
		w.Open(uri, "go", 1, "x")
		if b, ok := w.BufferURI(uri); !ok || b.Path != "" || b.Lines.Text() != "x" {
			t.Errorf("%s: %+v", uri, b)
		}
	}
	if _, ok := w.Buffer(""); ok {
		t.Error("there is a buffer without a path by path")
	}
	if got := len(w.Buffers()); got != 2 {
		t.Errorf("%d buffers, want 2", got)
	}
}

func TestTwoSpellingsOfOneFile(t *testing.T) {
	w, dir := newWorkspace(t, nil)
	base := uriOfDir(filepath.Clean(dir), windows)
	plain, escaped := base+"/a(1).go", base+"/a%281%29.go"
	w.Open(plain, "go", 1, "1")
	if b, ok := w.BufferURI(escaped); !ok || b.URI != plain {
		t.Errorf("by another spelling: %+v", b)
	}
	w.Open(escaped, "go", 1, "2") // kakoune opens again without closing
	if b, _ := w.Buffer("a(1).go"); b.Lines.Text() != "2" {
		t.Errorf("the one opened last does not count: %+v", b)
	}
	w.AddFolder(Folder{Dir: "/elsewhere", Name: "elsewhere"})
	w.RemoveFolder(Folder{Dir: "/elsewhere"})
	if b, _ := w.Buffer("a(1).go"); b.Lines.Text() != "2" {
		t.Errorf("nor after the folders changed: %+v", b)
	}
	w.Close(escaped)
	if b, ok := w.Buffer("a(1).go"); !ok || b.Lines.Text() != "1" {
		t.Errorf("the other is gone too: %+v", b)
	}
}

func TestObserversSeeEventsInOrder(t *testing.T) {
	w, _ := newWorkspace(t, map[string]string{"a.go": "a"})
	uri := w.URI("a.go")
	var log []string
	w.Observe(func(e BufferEvent) {
		text := func(l *edits.Lines) string {
			if l == nil {
				return "-"
			}
			return l.Text()
		}
		if b, ok := w.Buffer(e.Path); (e.Kind == Closed) == ok || ok && b.Lines != e.After {
			t.Errorf("event %d: the workspace is not as the event says", e.Kind)
		}
		log = append(log, fmt.Sprintf("%d %s %s>%s %d", e.Kind, e.Path, text(e.Before), text(e.After), len(e.Edits)))
	})
	w.Open(uri, "go", 1, "a")
	one := edits.NewLines("a").Replace(edits.Edit{New: "b"})
	two := one.Replace(edits.Edit{New: "c"})
	must(t, w.Update(uri, 2, two, []edits.Edit{{New: "b"}}, []edits.Edit{{New: "c"}}))
	w.Saved(uri, nil)
	w.Open(uri, "go", 1, "z")
	w.Close(uri)
	want := []string{"0 a.go ->a 0", "1 a.go a>cba 2", "2 a.go cba>cba 0", "0 a.go cba>z 0", "3 a.go z>- 0"}
	if diff := cmp.Diff(want, log); diff != "" {
		t.Error(diff)
	}
}
