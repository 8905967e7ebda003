package workspace

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestFindMoved(t *testing.T) {
	begin := func(t *testing.T) (*Workspace, string, func(from, to string)) {
		w, dir := newWorkspace(t, map[string]string{
			"src/a.go": "package a\n", "src/b.go": "package b\n", "doc/": "", "bom.txt": "\ufefftext\n",
			".gitignore": "ignored/\n", "ignored/": "", "empty": "",
		})
		return w, dir, func(from, to string) {
			must(t, os.Rename(filepath.Join(dir, filepath.FromSlash(from)), filepath.Join(dir, filepath.FromSlash(to))))
		}
	}
	wantAt := func(t *testing.T, w *Workspace, l Lost, want string) {
		t.Helper()
		if got := w.FindMoved(t.Context(), []Lost{l}); got[0] != want {
			t.Errorf("%s seems to be %q, want %q", l.Path, got[0], want)
		}
	}
	t.Run("the same file, with a text that nobody knows", func(t *testing.T) {
		w, dir, move := begin(t)
		was := w.Stamp("src/a.go")
		move("src/a.go", "doc/z.go")
		wantAt(t, w, Lost{Path: "src/a.go", Was: was, Texts: []string{"other\n"}}, "doc/z.go")
		f, err := os.OpenFile(filepath.Join(dir, "doc", "z.go"), os.O_WRONLY|os.O_TRUNC, 0)
		must(t, err)
		_, err = f.WriteString("package z\n")
		must(t, err)
		must(t, f.Close())
		must(t, os.Chtimes(f.Name(), time.Now(), time.Now().Add(time.Hour)))
		wantAt(t, w, Lost{Path: "src/a.go", Was: was, Texts: []string{"other\n"}}, "") // or a new file in the same place
	})
	t.Run("its text, under another name", func(t *testing.T) {
		w, _, move := begin(t)
		move("src/a.go", "src/c.go")
		wantAt(t, w, Lost{Path: "src/a.go", Texts: []string{"other", "package a\n"}}, "src/c.go")
		move("bom.txt", "doc/bom.txt")
		wantAt(t, w, Lost{Path: "bom.txt", Texts: []string{"text\n"}}, "doc/bom.txt")
	})
	t.Run("its folder goes before others", func(t *testing.T) {
		w, dir, move := begin(t)
		move("src/a.go", "src/c.go")
		writeTree(t, dir, map[string]string{"doc/copy.go": "package a\n"})
		wantAt(t, w, Lost{Path: "src/a.go", Texts: []string{"package a\n"}}, "src/c.go")
	})
	t.Run("two with its text", func(t *testing.T) {
		w, dir, move := begin(t)
		was := w.Stamp("src/a.go")
		move("src/a.go", "src/c.go")
		writeTree(t, dir, map[string]string{"src/copy.go": "package a\n"})
		wantAt(t, w, Lost{Path: "src/a.go", Texts: []string{"package a\n"}}, "")
		wantAt(t, w, Lost{Path: "src/a.go", Was: was, Texts: []string{"package a\n"}}, "src/c.go")
	})
	t.Run("not what is hidden, empty, or nowhere", func(t *testing.T) {
		w, dir, move := begin(t)
		was := w.Stamp("src/a.go")
		move("src/a.go", "ignored/a.go")
		wantAt(t, w, Lost{Path: "src/a.go", Was: was, Texts: []string{"package a\n"}}, "")
		wantAt(t, w, Lost{Path: "gone", Texts: []string{""}}, "")
		must(t, os.RemoveAll(filepath.Join(dir, "src")))
		wantAt(t, w, Lost{Path: "src/b.go", Texts: []string{"package b\n"}}, "")
	})
	t.Run("several at once", func(t *testing.T) {
		w, dir, _ := begin(t)
		var lost []Lost
		for i := range 50 {
			writeTree(t, dir, map[string]string{fmt.Sprintf("new/%d", i): fmt.Sprint("text ", i)})
			lost = append(lost, Lost{Path: fmt.Sprintf("old/%d", i), Texts: []string{fmt.Sprint("text ", i)}})
		}
		for i, got := range w.FindMoved(t.Context(), lost) {
			if want := fmt.Sprintf("new/%d", i); got != want {
				t.Errorf("%s seems to be %q, want %q", lost[i].Path, got, want)
			}
		}
	})
}
