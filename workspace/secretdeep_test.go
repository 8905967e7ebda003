package workspace

import (
	"bytes"
	"encoding/gob"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// What is secret far down in a folder of tools is read once by all processes, and again whenever a folder
// has changed there.
func TestDeepSecretsAreKept(t *testing.T) {
	state, dir := t.TempDir(), newTree(t, map[string]string{})
	tools := newTree(t, map[string]string{"a/b/c/d/.npmrc": "", "a/b/c/d/e/x.txt": "", "a/b/c/public.pem": "-----BEGIN CERTIFICATE-----\n", "a/b/c/repo/.git/HEAD": ""})
	old := time.Now().Add(-time.Hour)
	files := func() (names []string, of *Workspace) {
		t.Helper()
		w := New([]Folder{{Dir: dir}}, Options{StateDir: state})
		found, err := w.SecretFiles(t.Context(), func(Ways) []string { return []string{tools} })
		must(t, err)
		for _, name := range slices.Concat(found.Names, found.Repositories) {
			if rel, err := filepath.Rel(tools, name); err == nil && filepath.IsLocal(rel) {
				names = append(names, filepath.ToSlash(rel))
			}
		}
		return names, w
	}
	wants := func(what string, want ...string) {
		t.Helper()
		if got, _ := files(); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
	}
	kept := func() (k map[string]deepEntry) {
		t.Helper()
		if w := New(nil, Options{StateDir: state}); !w.Own().Kept(deepFile, &k) {
			t.Fatal("nothing is kept")
		}
		return k
	}

	wants("at first", "a/b/c/d/.npmrc", "a/b/c/repo")
	if k := kept(); len(k) != 0 {
		t.Errorf("what was made just now may change again at the same time: %q", k)
	}

	// As if all had been made long ago: no program can set change times, so the clock is put forward.
	w := New([]Folder{{Dir: dir}}, Options{StateDir: state})
	w.secretNames.deep = map[string]deepFolder{}
	deep := filepath.Join(tools, "a", "b", "c")
	f := readDeep(t.Context(), deep, old.Add(3*time.Hour))
	if f.sum == nil || len(f.looked) != 5 { // four folders, and the file of which the text decides
		t.Fatalf("%q is not known: %x", f.looked, f.sum)
	}
	keepDeep(w.Own(), map[string]deepFolder{deep: f})
	if e := kept()[deep]; !slices.Equal(e.Names, f.found.Names) || !slices.Equal(e.Sum, f.sum) {
		t.Errorf("kept is %+v", e)
	}
	for what, change := range map[string]func(){
		"a new file":   func() { writeTree(t, tools, map[string]string{"a/b/c/d/e/.netrc": ""}) },
		"one less":     func() { must(t, os.Remove(filepath.Join(deep, "d", ".npmrc"))) },
		"another text": func() { writeTree(t, tools, map[string]string{"a/b/c/public.pem": "-----BEGIN PRIVATE KEY-----\n"}) },
		"moved":        func() { must(t, os.Rename(filepath.Join(deep, "repo"), filepath.Join(deep, "moved"))) },
	} {
		later := old.Add(3 * time.Hour)
		before := readDeep(t.Context(), deep, later)
		if !before.still(t.Context(), later) {
			t.Errorf("%s: nothing has changed", what)
		}
		change()
		if before.still(t.Context(), later) {
			t.Errorf("%s is not seen", what)
		}
	}
	wants("after all", "a/b/c/d/e/.netrc", "a/b/c/public.pem", "a/b/c/moved")

	for what, e := range map[string]deepEntry{"another state": {Looked: deep, Sum: []byte("x")}, "no sum": {Looked: deep}} {
		w.Own().Keep(deepFile, map[string]deepEntry{deep: e})
		wants(what, "a/b/c/d/e/.netrc", "a/b/c/public.pem", "a/b/c/moved")
	}
}

// In a large folder, whose states several goroutines look up, each change counts.
func TestDeepSecretsOfALargeFolder(t *testing.T) {
	dir := t.TempDir()
	for i := range 2*atOnce + 10 {
		must(t, os.Mkdir(filepath.Join(dir, fmt.Sprintf("%05d", i)), 0o755))
	}
	later := time.Now().Add(time.Hour)
	f := readDeep(t.Context(), dir, later)
	if len(f.looked) != 2*atOnce+11 || !f.still(t.Context(), later) {
		t.Fatalf("nothing has changed in %d folders", len(f.looked))
	}
	for _, i := range []int{0, atOnce - 2, atOnce, 2*atOnce + 9} {
		must(t, os.Mkdir(filepath.Join(dir, fmt.Sprintf("%05d", i), "new"), 0o755))
		if f.still(t.Context(), later) {
			t.Errorf("a new name in folder %d is not seen", i)
		}
		if f = readDeep(t.Context(), dir, later); !f.still(t.Context(), later) {
			t.Fatal("nothing has changed since")
		}
	}
	if f.sum = nil; f.still(t.Context(), later) {
		t.Error("nothing is known")
	}
}

// What another program has kept, or is damaged, is not read.
func TestKept(t *testing.T) {
	state := t.TempDir()
	w := New(nil, Options{StateDir: state})
	var got string
	if w.Own().Kept("some", &got) {
		t.Error("nothing was kept")
	}
	w.Own().Keep("some", "text")
	if !w.Own().Kept("some", &got) || got != "text" {
		t.Errorf("it was kept: %q", got)
	}
	var another []int
	if w.Own().Kept("some", &another) {
		t.Error("it is a text")
	}
	var text bytes.Buffer
	to := gob.NewEncoder(&text)
	must(t, to.Encode("another program"))
	must(t, to.Encode("text"))
	for what, data := range map[string][]byte{"another program": text.Bytes(), "damaged": []byte("damaged"), "empty": nil} {
		must(t, os.WriteFile(filepath.Join(state, "some"), data, 0o600))
		if w.Own().Kept("some", &got) {
			t.Errorf("%s: %q is read", what, got)
		}
	}
	New(nil, Options{}).Own().Keep("some", "text") // without a state directory
}
