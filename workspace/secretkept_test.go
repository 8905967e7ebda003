package workspace

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// The names in the folders of a large workspace are read once by all processes, and again in each folder that
// has changed. What they mean is judged each time.
func TestFoldersAreKept(t *testing.T) {
	state, files := t.TempDir(), map[string]string{"d0/.env": "", "d1/id_rsa": ""}
	for i := range leastKept {
		files[fmt.Sprintf("d%d/a.go", i)] = ""
	}
	dir, err := filepath.EvalSymlinks(newTree(t, files))
	must(t, err)
	find := func(dir string) (Hidden, *Workspace) {
		t.Helper()
		w := New([]Folder{{Dir: dir}}, Options{StateDir: state})
		found, err := w.SecretFiles(t.Context(), nil)
		must(t, err)
		return found, w
	}
	wants := func(what string, want ...string) {
		t.Helper()
		found, _ := find(dir)
		if got := relative(dir, found.Names); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
	}
	kept := func() map[string]keptFolder { return loadFolders(New(nil, Options{StateDir: state}).Own()) }

	wants("at first", "d0/.env", "d1/id_rsa")
	if k := kept(); len(k) != 0 {
		t.Errorf("what was made just now may change again at the same time: %q", k)
	}

	// As if all had been made long ago: no program can set change times, so the clock is put forward. That
	// something is kept shows in names that are not there.
	found, w := find(dir)
	later := time.Now().Add(time.Hour)
	forged := func(names ...string) {
		t.Helper()
		found, w = find(dir)
		keepFolders(w.Own(), found.Listed, later)
		k := kept()
		if len(k) != leastKept+1 {
			t.Fatalf("%d folders are kept", len(k))
		}
		for _, name := range names {
			f := k[filepath.Join(dir, name)]
			f.Names, f.Kinds = f.Names+".netrc\x00", f.Kinds+string(rune(regularFile))
			k[filepath.Join(dir, name)] = f
		}
		w.Own().Keep(foldersFile, k)
	}
	forged("d2", "d3", "d4", "d5")
	wants("kept", "d0/.env", "d1/id_rsa", "d2/.netrc", "d3/.netrc", "d4/.netrc", "d5/.netrc")

	writeTree(t, dir, map[string]string{"d2/.pgpass": ""})
	must(t, errors.Join(os.Remove(filepath.Join(dir, "d3", "a.go")), os.Chmod(filepath.Join(dir, "d4"), 0o700)))
	wants("changed", "d0/.env", "d1/id_rsa", "d2/.pgpass", "d5/.netrc")
	must(t, errors.Join(os.Rename(filepath.Join(dir, "d5"), filepath.Join(dir, "old")), os.Rename(filepath.Join(dir, "d6"), filepath.Join(dir, "d5"))))
	wants("moved", "d0/.env", "d1/id_rsa", "d2/.pgpass")

	forged()
	writeTree(t, dir, map[string]string{".redline/ignore": "d7/a.go\n"})
	wants("named", "d0/.env", "d1/id_rsa", "d2/.pgpass", "d7/a.go")

	before := len(kept())
	find(newTree(t, map[string]string{"small.go": ""}))
	if after := len(kept()); before == 0 || after != before {
		t.Errorf("a small workspace is kept: %d and %d folders", before, after)
	}
}

// Of folders that cannot be read, or have changed just now, nothing is kept.
func TestFoldersThatAreNotKept(t *testing.T) {
	dir, now := t.TempDir(), time.Now()
	is, err := StateOf(dir)
	must(t, err)
	some := map[string]Listed{}
	for i := range leastKept {
		some[fmt.Sprint(i)] = Listed{State: is}
	}
	some["partly"] = Listed{State: is, partly: true}
	w := New(nil, Options{StateDir: t.TempDir()})
	keepFolders(w.Own(), some, now)
	if k := loadFolders(w.Own()); k != nil {
		t.Errorf("%d folders that have changed just now are kept", len(k))
	}
	keepFolders(w.Own(), some, now.Add(time.Hour))
	k := loadFolders(w.Own())
	if _, known := k["partly"]; known || len(k) != leastKept {
		t.Errorf("%d folders are kept; one that cannot be read: %t", len(k), known)
	}
}

// Of a damaged file, the folders that make no sense do not count.
func TestDamagedFoldersAreNotKept(t *testing.T) {
	o := New(nil, Options{StateDir: t.TempDir()}).Own()
	o.Keep(foldersFile, map[string]keptFolder{
		"good": {Names: "a\x00b\x00", Kinds: "\x00\x01"}, "empty": {}, "few kinds": {Names: "a\x00b\x00", Kinds: "\x00"}, "no end": {Names: "a\x00b", Kinds: "\x00"},
		"no name": {Names: "\x00a\x00", Kinds: "\x00\x00"}, "no names": {Kinds: "\x00"}, "one name": {Names: "a", Kinds: ""},
	})
	kept := loadFolders(o)
	for _, f := range kept {
		for name := range (folderText{f.Names, f.Kinds}).each {
			if name == "" {
				t.Error("a file without a name")
			}
		}
	}
	if got := slices.Sorted(maps.Keys(kept)); !slices.Equal(got, []string{"empty", "good"}) {
		t.Errorf("kept are %q", got)
	}
}
