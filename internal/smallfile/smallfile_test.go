package smallfile_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"redline/internal/smallfile"
)

func TestRead(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.txt")
	for size, want := range map[int]int{0: 0, 9: 9, 10: 10, 11: 11, 5000: 11} {
		if err := os.WriteFile(path, []byte(strings.Repeat("x", size)), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := smallfile.Read(path, 10); err != nil || len(got) != want {
			t.Errorf("of %d bytes there are %d, want %d: %v", size, len(got), want, err)
		}
	}
	if _, err := smallfile.Read(filepath.Join(dir, "b.txt"), 10); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("of a file that is not there: %v", err)
	}
	if _, err := smallfile.Read(dir, 10); err == nil {
		t.Error("a folder was read")
	}
}

func TestReplace(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a.json")
	for _, text := range []string{"one", "two"} {
		if err := smallfile.Replace(name, []byte(text), nil); err != nil {
			t.Fatal(err)
		}
		if got, err := smallfile.Read(name, 10); err != nil || got != text {
			t.Errorf("the file has %q, %v, not %q", got, err, text)
		}
	}
	failed := errors.New("the disk is full")
	if err := smallfile.Replace(name, []byte("three"), func(*os.File) error { return failed }); !errors.Is(err, failed) {
		t.Errorf("the error is %v", err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("the folder has %v, %v", entries, err)
	}
	if got, _ := smallfile.Read(name, 10); got != "two" {
		t.Errorf("a failed replacement left %q", got)
	}
}
