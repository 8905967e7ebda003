package workspace_test

import (
	"os"
	"path/filepath"
	"testing"

	"redline/workspace"
)

// A state directory in the workspace, as when a user works on the home folder, is neither
// read nor found, also through a link: opening and closing the database there would release
// the locks on it.
func TestTheStateDirectoryIsNotPartOfTheWorkspace(t *testing.T) {
	dir := t.TempDir()
	state := filepath.Join(dir, ".local", "state", "redline")
	if err := os.MkdirAll(state, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{filepath.Join(state, "redline.db"), filepath.Join(dir, "a.txt")} {
		if err := os.WriteFile(name, []byte("secret plans"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(state, filepath.Join(dir, "link")); err != nil {
		t.Skipf("symbolic links cannot be made here: %v", err)
	}
	for _, named := range []string{state, filepath.Join(dir, "link")} {
		w := workspace.New([]workspace.Folder{{Name: "x", Dir: dir}}, workspace.Options{StateDir: named})
		for _, path := range []string{".local/state/redline/redline.db", "link/redline.db", ".local/state/redline"} {
			if _, err := w.Read(path); err == nil {
				t.Errorf("%s can be read with the state in %s", path, named)
			}
		}
		files, _, err := w.List(t.Context(), "", "", nil, 100)
		if err != nil || len(files) != 1 {
			t.Errorf("listed are %v, %v", files, err)
		}
		if _, err := w.Read(".local/state/redlined"); err != nil {
			t.Errorf("a folder beside it: %v", err)
		}
	}
}
