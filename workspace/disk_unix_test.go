//go:build unix

package workspace

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"redline/edits"
)

func TestOwnerIsKept(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give files away: run this test as root")
	}
	w, dir := newWorkspace(t, map[string]string{"a.go": "a", "b.go": "b"})
	for _, name := range []string{"a.go", "b.go"} {
		full := filepath.Join(dir, name)
		must(t, os.Chown(full, 12345, 23456))
		must(t, os.Chmod(full, 0o640))
	}
	d := NewDisk(w)
	must(t, d.WriteFile("a.go", "a", "new"))
	must(t, d.RenameFile("b.go", "c.go", "b", "b"))
	for _, name := range []string{"a.go", "c.go"} {
		info, err := os.Stat(filepath.Join(dir, name))
		must(t, err)
		stat := info.Sys().(*syscall.Stat_t)
		if stat.Uid != 12345 || stat.Gid != 23456 || info.Mode() != 0o640 {
			t.Errorf("%s is %d:%d %v", name, stat.Uid, stat.Gid, info.Mode())
		}
	}
}

// A new file is 0644 or 0755, whatever a plan asks for, and the user's umask counts. A file that
// comes back is as it was.
func TestPermissionsOfNewFiles(t *testing.T) {
	old := syscall.Umask(0)
	t.Cleanup(func() { syscall.Umask(old) })
	for umask, want := range map[int]struct{ file, program os.FileMode }{
		0: {0o644, 0o755}, 0o022: {0o644, 0o755}, 0o002: {0o644, 0o755}, 0o077: {0o600, 0o700}, 0o027: {0o640, 0o750},
	} {
		syscall.Umask(umask)
		w, dir := newWorkspace(t, nil)
		d := NewDisk(w)
		for mode, want := range map[uint32]os.FileMode{
			0: want.file, 0o644: want.file, 0o666: want.file, 0o600: want.file, 0o755: want.program, 0o777: want.program, 0o111: want.program, 0o4755: want.program,
		} {
			for _, restore := range []bool{false, true} {
				if restore {
					if want = os.FileMode(mode).Perm(); mode == 0 {
						continue
					}
				}
				c := edits.Change{Path: fmt.Sprintf("f%o-%t", mode, restore), Kind: edits.Create, Text: "x\n", Mode: mode, Restore: restore}
				out, _ := d.Apply(t.Context(), []edits.Change{c})
				info, err := os.Stat(filepath.Join(dir, c.Path))
				if err != nil {
					t.Fatalf("%+v, %v", out, err)
				}
				if info.Mode() != want {
					t.Errorf("umask %03o, %s: %v, want %v", umask, c.Path, info.Mode(), want)
				}
			}
		}
	}
}

// A file on disk or in an editor knows how many other names it has; writing it leaves these as they
// are.
func TestOtherNames(t *testing.T) {
	w, dir := newWorkspace(t, map[string]string{"a.go": "a", "alone.go": "a"})
	must(t, os.Link(filepath.Join(dir, "a.go"), filepath.Join(dir, "b.go")))
	must(t, os.Link(filepath.Join(dir, "a.go"), filepath.Join(dir, "c.go")))
	want := func(when string, links map[string]int) {
		t.Helper()
		for name, n := range links {
			if f, err := w.Read(name); err != nil || f.Links != n {
				t.Errorf("%s, %s has %d other names, %v; want %d", when, name, f.Links, err, n)
			}
		}
	}
	want("at first", map[string]int{"a.go": 2, "b.go": 2, "alone.go": 0, "none.go": 0})
	w.Open(w.URI("c.go"), "go", 1, "typed")
	want("in an editor", map[string]int{"c.go": 2})
	must(t, NewDisk(w).WriteFile("a.go", "a", "new"))
	want("after a write", map[string]int{"a.go": 0, "b.go": 1, "c.go": 1})
	if text, err := os.ReadFile(filepath.Join(dir, "b.go")); err != nil || string(text) != "a" {
		t.Errorf("b.go is %q, %v", text, err)
	}
}
