package workspace

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"unicode/utf8"
)

// Thousands of folders in one message, all of one name, block nobody; the first ones count.
func TestManyFolders(t *testing.T) {
	var many []Folder
	for i := range 20_000 {
		many = append(many, Folder{Name: "f", Dir: fmt.Sprintf("/many/f%d", i)})
	}
	w := New(nil, Options{})
	w.ChangeFolders(many, nil)
	folders := w.Folders()
	if len(folders) != MaxFolders || folders[0].Name != "f" || folders[1].Name != "f-2" || folders[MaxFolders-1].Name != fmt.Sprintf("f-%d", MaxFolders) {
		t.Fatalf("%d folders: %v … %v", len(folders), folders[:2], folders[len(folders)-1])
	}
	w.ChangeFolders([]Folder{{Name: "g", Dir: "/g"}}, many)
	if got := w.Folders(); len(got) != 1 || got[0].Name != "g" {
		t.Errorf("afterwards there are %v", got)
	}
}

// Paths begin with the name of a folder and are UTF-8, also where the folder's name is not.
func TestAFolderWhoseNameIsNoUTF8(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs a file system whose names are bytes, as on Linux")
	}
	dir := filepath.Join(t.TempDir(), "a\xffb")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	w := New([]Folder{{Dir: t.TempDir(), Name: "other"}, {URI: uriOfDir(dir, windows)}}, Options{})
	name := w.Folders()[1].Name
	if !utf8.ValidString(name) {
		t.Errorf("it is called %q", name)
	}
	if f, err := w.Read(name + "/a.txt"); err != nil || f.Text != "x\n" {
		t.Errorf("got %+v, %v", f, err)
	}
}
