package workspace

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"redline/edits"
)

// twoSpellings makes a file that is found as a.txt and as A.txt. On a file system that
// distinguishes case, a second link simulates one that does not.
func twoSpellings(t *testing.T, w *Workspace, dir string) (folds bool) {
	t.Helper()
	writeTree(t, dir, map[string]string{"a.txt": "one\ntwo\n", "b.txt": "b"})
	if w.SameFile("a.txt", "A.txt") {
		return true
	}
	if err := os.Link(filepath.Join(dir, "a.txt"), filepath.Join(dir, "A.txt")); err != nil {
		t.Skipf("links cannot be made here: %v", err)
	}
	return false
}

func TestSameFile(t *testing.T) {
	w, dir := newWorkspace(t, nil)
	folds := twoSpellings(t, w, dir)
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"a.txt", "A.txt", true},
		{"a.txt", "a.txt", false},
		{"a.txt", "b.txt", false},
		{"b.txt", "B.txt", folds},
		{"none", "NONE", false},
	} {
		if got := w.SameFile(c.a, c.b); got != c.want {
			t.Errorf("SameFile(%s, %s) = %v, want %v", c.a, c.b, got, c.want)
		}
	}
	if !w.HasName("a.txt") || w.HasName("b.TXT") || w.HasName("none/a") {
		t.Error("HasName goes by more than the name, or less")
	}
}

// A rename that changes only the case of a name does not overwrite another file.
func TestDiskRespells(t *testing.T) {
	w, dir := newWorkspace(t, nil)
	twoSpellings(t, w, dir)
	must(t, os.Chmod(filepath.Join(dir, "a.txt"), 0o600))
	all, err := NewDisk(w).Apply(t.Context(), []edits.Change{{Path: "a.txt", Kind: edits.Rename, NewPath: "A.txt", Base: "one\ntwo\n",
		Edits: []edits.Edit{{Span: edits.Span{Start: 4, End: 7}, New: "2"}}}})
	must(t, err)
	if all[0].Status != edits.Done {
		t.Fatalf("%+v", all)
	}
	if diff := cmp.Diff(map[string]string{"A.txt": "one\n2\n", "b.txt": "b"}, contents(t, dir)); diff != "" {
		t.Error(diff)
	}
	if info, err := os.Stat(filepath.Join(dir, "A.txt")); err != nil || info.Mode().Perm() != 0o600 && !windows {
		t.Errorf("%v, %v; want the mode of before", info.Mode(), err)
	}
	if w.HasName("a.txt") || !w.HasName("A.txt") {
		t.Error("the file is not under its new name alone")
	}
}

// Where case counts, another spelling is another file.
func TestDiskRenamesToAnotherCase(t *testing.T) {
	w, dir := newWorkspace(t, map[string]string{"a.txt": "one\n"})
	must(t, NewDisk(w).RenameFile("a.txt", "A.txt", "one\n", "one\n"))
	if diff := cmp.Diff(map[string]string{"A.txt": "one\n"}, contents(t, dir)); diff != "" {
		t.Error(diff)
	}
}

// A folder spelled in another case is the same folder, and is not renamed along the way.
func TestDiskDoesNotRespellFolders(t *testing.T) {
	w, dir := newWorkspace(t, map[string]string{"dir/a.txt": "one\n", "DIR/": ""})
	if !w.SameFile("dir/a.txt", "DIR/a.txt") {
		if err := os.Link(filepath.Join(dir, "dir/a.txt"), filepath.Join(dir, "DIR/a.txt")); err != nil {
			t.Skipf("hard links, which stand in for a disk where case does not count, cannot be made here: %v", err)
		}
	}
	before := contents(t, dir)
	if err := NewDisk(w).RenameFile("dir/a.txt", "DIR/a.txt", "one\n", "one\n"); err == nil {
		t.Error("it was renamed")
	}
	if diff := cmp.Diff(before, contents(t, dir)); diff != "" {
		t.Error(diff)
	}
}
