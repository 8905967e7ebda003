package workspace

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNewTouchesNothing(t *testing.T) {
	gone := filepath.Join(t.TempDir(), "not", "there")
	w := New([]Folder{{Dir: gone}}, Options{StateDir: filepath.Join(gone, "state")})
	if !w.Single() || w.Folders()[0].Name != "there" {
		t.Errorf("folders are %v", w.Folders())
	}
	if _, err := w.Read("a.go"); err == nil || err.Error() != "the workspace folder "+gone+" does not exist" {
		t.Errorf("reading in a folder that does not exist: %v", err)
	}
	if _, err := os.Lstat(filepath.Dir(gone)); !os.IsNotExist(err) {
		t.Errorf("something was made: %v", err)
	}

	// The folder may appear later, disappear, and come back as another one.
	for _, text := range []string{"one", "two"} {
		writeTree(t, gone, map[string]string{"a.go": text})
		if f, err := w.Read("a.go"); err != nil || f.Text != text {
			t.Errorf("once the folder is there: %q, %v; want %q", f.Text, err, text)
		}
		must(t, os.Rename(gone, gone+text))
		if _, err := w.Read("a.go"); err == nil {
			t.Error("a folder that went can be read")
		}
	}
}

func TestNamesAreUnique(t *testing.T) {
	w := New([]Folder{
		{Dir: "/x/api"}, {Dir: "/y/api"}, {Dir: "/z", Name: "api"}, {Dir: "/x/api"},
		{URI: "file:///q/a%20b"}, {Dir: "/v", Name: "bad/name"}, {Dir: "/g", Name: ".git"}, {Dir: "/"}, {URI: "untitled:x"},
	}, Options{})
	var names []string
	for _, f := range w.Folders() {
		names = append(names, f.Name)
	}
	want := []string{"api", "api-2", "api-3", "a b", "v", "g", "root"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Error(diff)
	}
	w.RemoveFolder(Folder{Dir: "/y/api"})
	w.AddFolder(Folder{Dir: "/n/api"})
	if got := w.Folders()[len(want)-1].Name; got != "api-2" {
		t.Errorf("the free name was not taken: %s", got)
	}
}

func TestFoldersChangeUnderOpenBuffers(t *testing.T) {
	one, two := newTree(t, nil), newTree(t, nil)
	w := New([]Folder{{Dir: one, Name: "one"}}, Options{})
	w.Open(uriOfDir(one, windows)+"/a.go", "go", 1, "1")
	w.Open(uriOfDir(two, windows)+"/a.go", "go", 1, "2")
	if b, ok := w.Buffer("a.go"); !ok || b.Lines.Text() != "1" {
		t.Errorf("with one folder: %v", b)
	}
	w.AddFolder(Folder{Dir: two, Name: "two"})
	for path, text := range map[string]string{"one/a.go": "1", "two/a.go": "2"} {
		if f, err := w.Read(path); err != nil || f.Text != text {
			t.Errorf("with two folders %s is %q, %v", path, f.Text, err)
		}
	}
	if _, err := w.Read("a.go"); err == nil || err.Error() != "a.go must start with the name of a workspace folder: one, two" {
		t.Errorf("a path without a folder: %v", err)
	}
	var opened []string
	w.Observe(func(e BufferEvent) {
		if e.Kind == Opened {
			opened = append(opened, e.Path+" "+e.After.Text())
		}
	})
	w.RemoveFolder(Folder{URI: uriOfDir(one, windows)})
	if diff := cmp.Diff([]string{"a.go 2"}, opened); diff != "" {
		t.Errorf("buffers under another path were not told (-want +got)\n%s", diff)
	}
	if b, ok := w.Buffer("a.go"); !ok || b.Lines.Text() != "2" {
		t.Errorf("with the other folder: %v", b)
	}
	w.SetFolders(nil)
	if _, err := w.Read("a.go"); err == nil {
		t.Error("without a folder a path can be read")
	}
}
