package workspace

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// Neither way of reading for a search follows a forbidden name, or blocks.
func TestReadingForASearchStaysInside(t *testing.T) {
	outside := t.TempDir()
	must(t, os.WriteFile(filepath.Join(outside, "secret"), []byte("secret"), 0o644))
	dir := newTree(t, map[string]string{"sub/a": "text", "empty": "", "big": "0123456789"})
	for _, err := range []error{
		os.Symlink(outside, filepath.Join(dir, "out")), os.Symlink("a", filepath.Join(dir, "sub/link")),
		unix.Mkfifo(filepath.Join(dir, "fifo"), 0o644),
	} {
		must(t, err)
	}
	root, err := os.OpenRoot(dir)
	must(t, err)
	defer root.Close()
	for _, slow := range []bool{false, true} {
		r := newReaders(9, &limits{})
		r.folders.cannot.Store(slow)
		for rel, want := range map[string]string{"sub/a": "text", "empty": "", "big": "none", "out/secret": "none", "fifo": "none", "gone": "none", "sub": "none"} {
			got := "none"
			r.read(entry{path: rel, dir: root, rel: rel}, func(data []byte) { got = string(data) })
			if got != want {
				t.Errorf("%s, slowly %v: %q, want %q", rel, slow, got, want)
			}
		}
		if r.folders.cannot.Load() != slow {
			t.Error("this kernel cannot open files the fast way: it was not tested")
		}
		r.close()
	}
}

// A file that grows while it is read is read up to the limit, or not at all.
func TestReadAllGrows(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a")
	must(t, os.WriteFile(name, make([]byte, 300_000), 0o644))
	for said, want := range map[int64]int{300_000: 300_000, 10: 10, 0: 300_000, 400_000: 300_000} {
		f, err := os.Open(name)
		must(t, err)
		buffer := make([]byte, 0, said+1)
		data, ok := readAll(int(f.Fd()), said, 1<<20, &buffer)
		if said < 300_000 { // larger than reported
			if !ok || len(data) < want {
				t.Errorf("said %d: %d bytes, %v", said, len(data), ok)
			}
		} else if !ok || len(data) != want {
			t.Errorf("said %d: %d bytes, %v", said, len(data), ok)
		}
		f.Close()
	}
	f, err := os.Open(name)
	must(t, err)
	defer f.Close()
	buffer := make([]byte, 0, 1)
	if data, ok := readAll(int(f.Fd()), 100, 200_000, &buffer); ok && len(data) > 200_000 {
		t.Errorf("%d bytes were read, above the limit", len(data))
	}
}
