package board_test

import (
	"os"
	"path/filepath"
	"testing"

	"redline/agent/board"
	"redline/edits"
	"redline/workspace"
)

// disk is a workspace on a temporary folder that counts how often the disk is looked at.
type disk struct {
	*workspace.Workspace
	t     *testing.T
	dir   string
	looks int
}

func newDisk(t *testing.T, files map[string]string) *disk {
	t.Helper()
	d := &disk{t: t, dir: t.TempDir()}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(d.dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	d.Workspace = workspace.New([]workspace.Folder{{Dir: d.dir}}, workspace.Options{Access: func() { d.looks++ }})
	return d
}

func (d *disk) open(name, text string) { d.Open(d.URI(name), "", 1, text) }

func (d *disk) wantFile(f *board.ReadAhead, name, text string, exists bool) {
	d.t.Helper()
	file, err := f.File(name)
	if err != nil || file.Text != text || file.Exists != exists {
		d.t.Errorf("%s: %q, exists %v, %v; want %q, %v", name, file.Text, file.Exists, err, text, exists)
	}
}

func TestTheDiskIsReadBefore(t *testing.T) {
	d := newDisk(t, map[string]string{"a": "a\n"})
	d.open("b", "b\n") // not on the disk
	files := []board.Paths{{Old: "a"}, {Old: "b"}, {Old: "none"}, {Old: "a"}}
	f := board.NewReadAhead(d.Workspace)
	if got := f.Missing(files); len(got) != 3 {
		t.Fatalf("at first %v are missing", got)
	}
	f.Read(files)
	before := d.looks
	if got := f.Missing(files); len(got) != 0 {
		t.Errorf("%v are missing", got)
	}
	d.wantFile(f, "a", "a\n", true)
	d.wantFile(f, "b", "b\n", true)
	d.wantFile(f, "none", "", false)
	for name, want := range map[string]bool{"a": true, "b": false, "none": false} {
		if exists, _, err := f.Stat(name); err != nil || exists != want {
			t.Errorf("%s is on the disk: %v, %v", name, exists, err)
		}
	}
	if d.looks != before {
		t.Errorf("the disk was looked at %d times after it was read", d.looks-before)
	}
	if _, err := f.File("other"); err == nil {
		t.Error("a file that was not read has a text")
	}
}

func TestWhatIsTypedCounts(t *testing.T) {
	d := newDisk(t, map[string]string{"a": "a\n"})
	d.open("a", "a\n")
	files := []board.Paths{{Old: "a"}}
	f := board.NewReadAhead(d.Workspace)
	f.Read(files)
	if err := d.Update(d.URI("a"), 2, edits.NewLines("typed\n"), []edits.Edit{{New: "typed\n", Span: edits.Span{End: 2}}}); err != nil {
		t.Fatal(err)
	}
	d.wantFile(f, "a", "a\n", true) // as it was when Missing was called last, or it was read
	if got := f.Missing(files); len(got) != 0 {
		t.Errorf("%v are missing", got)
	}
	d.wantFile(f, "a", "typed\n", true)
}

func TestWhatIsOpenedOrClosedIsReadAgain(t *testing.T) {
	d := newDisk(t, map[string]string{"a": "a\n", "b": "b\n"})
	d.open("a", "buffer\n")
	files := []board.Paths{{Old: "a"}, {Old: "b"}}
	f := board.NewReadAhead(d.Workspace)
	f.Read(files)
	d.Close(d.URI("a"))
	d.open("b", "buffer\n")
	got := f.Missing(files)
	if len(got) != 2 {
		t.Fatalf("%v are missing", got)
	}
	f.Read(got)
	if got := f.Missing(files); len(got) != 0 {
		t.Errorf("%v are missing still", got)
	}
	d.wantFile(f, "a", "a\n", true)
	d.wantFile(f, "b", "buffer\n", true)
}

func TestWhatCannotBeRead(t *testing.T) {
	d := newDisk(t, map[string]string{"binary": "\x00"})
	if err := os.Mkdir(filepath.Join(d.dir, "folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	files := []board.Paths{{Old: "binary", New: "folder"}}
	f := board.NewReadAhead(d.Workspace)
	f.Read(files)
	if got := f.Missing(files); len(got) != 0 {
		t.Errorf("%v are missing", got)
	}
	for name, folder := range map[string]bool{"binary": false, "folder": true} {
		_, err := f.File(name)
		exists, isDir, statErr := f.Stat(name)
		if err == nil || !exists || isDir != folder || statErr != nil {
			t.Errorf("%s: %v; exists %v, folder %v, %v", name, err, exists, isDir, statErr)
		}
	}
}

func TestNamesThatDifferInCase(t *testing.T) {
	d := newDisk(t, map[string]string{"a": "a\n"})
	p := board.Paths{Old: "a", New: "A"}
	f := board.NewReadAhead(d.Workspace)
	f.Read([]board.Paths{p})
	if got := f.Missing([]board.Paths{p}); len(got) != 0 {
		t.Errorf("%v are missing", got)
	}
	old, moved := f.Spelled(p)
	if f.SameFile(p) != d.SameFile("a", "A") || !old || moved {
		t.Errorf("one file: %v, spelled %v and %v", f.SameFile(p), old, moved)
	}
}
