package workspace

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestOwnRemove(t *testing.T) {
	dir, state := t.TempDir(), t.TempDir()
	w := New([]Folder{{Name: "ws", Dir: dir}}, Options{StateDir: state})
	own := w.Own()
	write := func(text string) string {
		t.Helper()
		path, _, err := own.Write("plans/0001-r1.md", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
	remove := func(want bool) {
		t.Helper()
		if got, err := own.Remove("plans/0001-r1.md", []byte("as written\n")); got != want || err != nil {
			t.Errorf("removed: %v, %v, want %v", got, err, want)
		}
	}
	remove(false) // it does not exist
	path := write("changed\n")
	remove(false)
	write("as written\n")
	w.Open(w.URI(own.Path("plans/0001-r1.md")), "", 1, "being changed\n")
	remove(false)
	w.Close(w.URI(own.Path("plans/0001-r1.md")))
	remove(true)
	if _, err := os.Lstat(path); err == nil {
		t.Error("it is still there")
	}
	if err := os.Symlink(filepath.Join(dir, "a.txt"), path); err != nil {
		t.Skipf("symbolic links cannot be made here: %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("as written\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	remove(false)
	if _, err := own.Remove("../a.txt", []byte("as written\n")); err == nil {
		t.Error("a name that leads out was taken")
	}
}

func TestOwnFolderNames(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"b.md", "a.md", "sub/c.md"} {
		path := filepath.Join(dir, ".redline", "templates", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	w := New([]Folder{{Name: "ws", Dir: dir}}, Options{})
	if got, err := w.Own().Names("templates"); err != nil || len(got) != 2 || got[0] != "a.md" || got[1] != "b.md" {
		t.Errorf("got %q, %v", got, err)
	}
	for _, name := range []string{"nothing", "templates/a.md"} {
		if got, err := w.Own().Names(name); err != nil || got != nil {
			t.Errorf("%s: got %q, %v", name, got, err)
		}
	}
	if _, err := w.Own().Names(".."); err == nil {
		t.Error("a name that leads out was taken")
	}
	if err := os.Symlink(filepath.Join(dir, ".redline", "templates"), filepath.Join(dir, ".redline", "linked")); err != nil {
		t.Skipf("symbolic links cannot be made here: %v", err)
	}
	if got, _ := w.Own().Names("linked"); got != nil {
		t.Errorf("a link was followed: %q", got)
	}
}

// A file that cannot be in the workspace is below the state directory: an editor's text of
// that file counts as well.
func TestOwnRemoveElsewhere(t *testing.T) {
	dir, state := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, ".redline"), nil, 0o600); err != nil { // in the way of the folder
		t.Fatal(err)
	}
	w := New([]Folder{{Name: "ws", Dir: dir}}, Options{StateDir: state})
	own := w.Own()
	const name, text = "plans/0001-r1.md", "as written\n"
	path, uri, err := own.Write(name, []byte(text))
	if err != nil || !strings.HasPrefix(path, state) {
		t.Fatal(path, err)
	}
	w.Open(uri, "", 1, "being changed\n")
	if removed, err := own.Remove(name, []byte(text)); removed || err != nil {
		t.Errorf("while an editor has something else: %v, %v", removed, err)
	}
	w.Close(uri)
	if removed, err := own.Remove(name, []byte(text)); !removed || err != nil {
		t.Errorf("%v, %v", removed, err)
	}
	if _, err := os.Lstat(path); err == nil {
		t.Error("it is still there")
	}
}
