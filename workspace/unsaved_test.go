package workspace

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"redline/edits"
)

func TestUnsavedDocumentsByTheirRealNames(t *testing.T) {
	dir := newTree(t, map[string]string{"real/a.go": "a\n", "real/b.go": "b\n", "real/sub/c.go": "c\n", "else/d.go": "d\n"})
	link(t, "real", filepath.Join(dir, "link"))
	link(t, filepath.Join(dir, "real", "sub"), filepath.Join(dir, "real", "way"))
	w := New([]Folder{{Dir: filepath.Join(dir, "link")}}, Options{})
	open := func(uri, text string) { w.Open(uri, "", 1, text) }
	open(w.URI("a.go"), "changed\n")
	open(w.URI("b.go"), "b\n")
	open(w.URI("way/c.go"), "changed\n")
	open(w.URI("new/e.go"), "not on disk\n")
	open(uriOfDir(filepath.Join(dir, "else", "d.go"), windows), "d\n")
	open("untitled:one", "x")
	for _, uri := range []string{uriOfDir(filepath.Join(dir, "else", "d.go"), windows), "untitled:one"} {
		b, _ := w.BufferURI(uri)
		e := edits.Edit{New: "x"}
		must(t, w.Update(uri, 2, b.Lines.Replace(e), []edits.Edit{e}))
	}
	var want []string
	for _, name := range []string{"else/d.go", "real/a.go", "real/new/e.go", "real/sub/c.go"} {
		want = append(want, filepath.Join(dir, filepath.FromSlash(name)))
	}
	if got := w.Unsaved(); !slices.Equal(got, want) {
		t.Errorf("unsaved are %q, want %q", got, want)
	}
	plain := New([]Folder{{Dir: filepath.Join(dir, "real")}}, Options{})
	if got, err := plain.RealName("sub/c.go"); err != nil || got != want[3] {
		t.Errorf("the name is %q, %v; want %q", got, err, want[3])
	}
	if _, err := plain.RealName("../else/d.go"); err == nil {
		t.Error("a file outside of the workspace has a name")
	}
}

func TestADocumentThatWasReadAgainIsAsOnDisk(t *testing.T) {
	w, dir := newWorkspace(t, map[string]string{"a.txt": "one\r\n"})
	w.Open(w.URI("a.txt"), "", 1, "two\n")
	b, _ := w.Buffer("a.txt")
	if w.AsOnDisk(b) {
		t.Error("another text is taken for the same")
	}
	must(t, os.WriteFile(filepath.Join(dir, "a.txt"), []byte("two\n"), 0o644))
	if !w.AsOnDisk(b) {
		t.Error("the same text is taken for another")
	}
}

func TestAStampTellsWhatHappenedToAFile(t *testing.T) {
	w, dir := newWorkspace(t, map[string]string{"a.txt": "one\n"})
	name := filepath.Join(dir, "a.txt")
	long := time.Now().Add(-time.Hour)
	must(t, os.Chtimes(name, long, long))
	if w.Stamp("a.txt").Differs(w.Stamp("a.txt")) || w.Stamp("no.txt").Differs(w.Stamp("no.txt")) {
		t.Error("what nobody touched is taken for changed")
	}
	if !w.Stamp("a.txt").Differs(Stamp{}) {
		t.Error("what was never looked at is taken for known")
	}
	for what, change := range map[string]func(){
		"written":      func() { must(t, os.WriteFile(name, []byte("two\n"), 0o644)) },
		"grown":        func() { must(t, os.WriteFile(name, []byte("longer\n"), 0o644)); must(t, os.Chtimes(name, long, long)) },
		"as long":      func() { must(t, os.WriteFile(name, []byte("two\n"), 0o644)); must(t, os.Chtimes(name, long, long)) },
		"gone":         func() { must(t, os.Remove(name)) },
		"another file": func() { must(t, os.WriteFile(name, []byte("one\n"), 0o644)); must(t, os.Chtimes(name, long, long)) },
		"now a folder": func() { must(t, os.Remove(name)); must(t, os.Mkdir(name, 0o755)) },
		"left alone":   func() {},
	} {
		must(t, os.RemoveAll(name))
		must(t, os.WriteFile(name, []byte("one\n"), 0o644))
		must(t, os.Chtimes(name, long, long))
		old := w.Stamp("a.txt")
		if what == "another file" {
			must(t, os.Rename(name, name+".old"))
		}
		change()
		want := what != "left alone" && (what != "as long" || changeTime(old.info) != 0) // some systems do not report that one
		if got := w.Stamp("a.txt").Differs(old); got != want {
			t.Errorf("%s: differs is %v, want %v", what, got, want)
		}
	}
	must(t, os.RemoveAll(name))
	must(t, os.WriteFile(name, []byte("one\n"), 0o644))
	if young := w.Stamp("a.txt"); !w.Stamp("a.txt").Differs(young) {
		t.Error("a file that may have been changed at the same time again is taken for known")
	}
}
