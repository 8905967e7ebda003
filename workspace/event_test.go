package workspace

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"redline/edits"
)

func TestAwaitTextOfABuffer(t *testing.T) {
	w, _ := newWorkspace(t, map[string]string{"a.go": "0"})
	uri := w.URI("a.go")
	w.Open(uri, "go", 1, "0")
	ctx, cancel := context.WithTimeout(t.Context(), deadline)
	defer cancel()
	looked := make(chan string, 100)
	done := make(chan File)
	go func() {
		f, _ := w.AwaitText(ctx, "a.go", func(f File) bool {
			looked <- f.Text
			return f.Text == "3"
		})
		done <- f
	}()
	for _, text := range []string{"1", "2", "3"} {
		<-looked // it waits now, or gets the next text at once
		b, _ := w.Buffer("a.go")
		must(t, w.Update(uri, b.Version+1, edits.NewLines(text), replaceWith(b.Lines, text)))
	}
	if f := <-done; f.Text != "3" || f.Buffer == nil {
		t.Errorf("awaited %+v", f)
	}
}

func TestAwaitTextOfAFile(t *testing.T) {
	w, dir := newWorkspace(t, nil)
	ctx, cancel := context.WithTimeout(t.Context(), deadline)
	defer cancel()
	wrote := false
	f, ok := w.AwaitText(ctx, "a.go", func(f File) bool {
		if !wrote {
			wrote = true
			must(t, os.WriteFile(filepath.Join(dir, "a.go"), []byte("there"), 0o644))
			return false
		}
		return f.Text == "there"
	})
	if !ok || !f.Exists {
		t.Errorf("awaited %+v, %v", f, ok)
	}
}

func TestAwaitTextGivesUp(t *testing.T) {
	w, _ := newWorkspace(t, map[string]string{"a.go": "disk", "dir/": ""})
	ctx, cancel := context.WithCancel(t.Context())
	f, ok := w.AwaitText(ctx, "a.go", func(File) bool { cancel(); return false })
	if ok || f.Text != "disk" {
		t.Errorf("awaited %+v, %v", f, ok)
	}
	if _, ok := w.AwaitText(ctx, "dir", func(File) bool { return true }); ok {
		t.Error("a folder was awaited")
	}
}
