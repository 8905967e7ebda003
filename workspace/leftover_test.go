package workspace

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A temporary file is listed before it exists, also for Redline's own files, and is in no
// list afterwards.
func TestTemporaryFilesAreWrittenDown(t *testing.T) {
	dir, state := newTree(t, map[string]string{"sub/a.go": "old"}), t.TempDir()
	w := New([]Folder{{Dir: dir}}, Options{StateDir: state})
	lists := func() string {
		var all strings.Builder
		found, _ := filepath.Glob(filepath.Join(state, "temporary", "*.list"))
		for _, name := range found {
			data, err := os.ReadFile(name)
			must(t, err)
			all.Write(data)
		}
		return all.String()
	}
	d, seen := NewDisk(w), 0
	d.temp.open = func(root *os.Root, name string, mode fs.FileMode) (tempFile, error) {
		seen++
		if full := filepath.Join(dir, filepath.FromSlash(name)); !strings.Contains(lists(), full) {
			t.Errorf("%s is not in a list: %q", full, lists())
		}
		return openFile(root, name, mode)
	}
	must(t, d.WriteFile("sub/a.go", "old", "new"))
	must(t, d.CreateFile("b.go", "b", 0))
	must(t, d.RenameFile("b.go", "c.go", "b", "b"))
	_, _, err := w.Own().Write("plans/0001-r1.md", []byte("x"))
	must(t, err)
	if seen != 3 || lists() != "" {
		t.Errorf("%d files, and in the end the lists say %q", seen, lists())
	}
}
