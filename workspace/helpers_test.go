package workspace

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// newTree writes files (name → text) into a new folder and returns it, without
// symbolic links in its name. A name that ends in a slash is a folder.
func newTree(t testing.TB, files map[string]string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	writeTree(t, dir, files)
	return dir
}

func writeTree(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		full := filepath.Join(dir, filepath.FromSlash(name))
		if strings.HasSuffix(name, "/") {
			must(t, os.MkdirAll(full, 0o755))
			continue
		}
		must(t, os.MkdirAll(filepath.Dir(full), 0o755))
		must(t, os.WriteFile(full, []byte(text), 0o644))
	}
}

// newWorkspace returns a workspace of one new folder with files.
func newWorkspace(t testing.TB, files map[string]string) (*Workspace, string) {
	t.Helper()
	dir := newTree(t, files)
	return New([]Folder{{Dir: dir}}, Options{}), dir
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// link creates a symbolic link, or skips the test where that is not allowed.
func link(t testing.TB, target, name string) {
	t.Helper()
	if err := os.Symlink(target, name); err != nil {
		t.Skipf("symbolic links cannot be made here: %v", err)
	}
}

// shot returns the state of a folder: each name with mode, time, link target and bytes.
func shot(t testing.TB, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	must(t, filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		state := info.Mode().String() + " " + info.ModTime().Format(time.RFC3339Nano)
		switch {
		case info.Mode()&fs.ModeSymlink != 0:
			target, _ := os.Readlink(name)
			state += " -> " + target
		case info.Mode().IsRegular():
			data, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			state += "\n" + string(data)
		}
		files[name] = state
		return nil
	}))
	return files
}

// contents is shot without modes and times: it returns each file's name, relative to dir,
// and text.
func contents(t testing.TB, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	for name, state := range shot(t, dir) {
		rel, err := filepath.Rel(dir, name)
		must(t, err)
		if _, text, ok := strings.Cut(state, "\n"); ok {
			files[filepath.ToSlash(rel)] = text
		} else if rel != "." && !strings.HasPrefix(state, "d") {
			files[filepath.ToSlash(rel)] = "not a file"
		}
	}
	return files
}

// deadline is how long a test waits for an expected event.
const deadline = 3 * time.Minute
