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
