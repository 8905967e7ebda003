//go:build unix

package workspace

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// inTime fails the test if f takes longer than the deadline.
func inTime(t *testing.T, what string, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
	case <-time.After(deadline):
		t.Fatalf("%s hangs", what)
	}
}

func TestDevicesDoNotHang(t *testing.T) {
	w, dir := newWorkspace(t, map[string]string{"b.go": "needle", ".redline/": ""})
	for _, name := range []string{"a.go", ".gitignore"} {
		must(t, syscall.Mkfifo(filepath.Join(dir, name), 0o644))
	}
	t.Chdir(dir) // the name of a socket must be short
	socket, err := net.Listen("unix", "s.go")
	must(t, err)
	defer socket.Close()

	inTime(t, "reading", func() {
		for _, path := range []string{"a.go", "s.go"} {
			_, err := w.Read(path)
			wantRefusal(t, path, err, "device, pipe or socket")
		}
		w.Open(w.URI("a.go"), "go", 1, "typed")
		w.Close(w.URI("a.go"))
	})
	inTime(t, "looking around", func() {
		paths, _, err := w.List(t.Context(), "", "", nil, 0)
		if err != nil || len(paths) != 1 || paths[0] != "b.go" {
			t.Errorf("list: %v, %v", paths, err)
		}
		found, err := w.Search(t.Context(), Query{Pattern: "needle"}, nil)
		if err != nil || len(found.Hits) != 1 {
			t.Errorf("search: %v, %v", found, err)
		}
		if w.Secret("b.go") {
			t.Error("b.go is secret")
		}
	})
	must(t, syscall.Mkfifo(filepath.Join(dir, ".redline/ignore"), 0o644))
	inTime(t, "looking for secrets", func() {
		if err := w.HidesAll(); err == nil || !w.Secret("b.go") {
			t.Errorf("what a pipe names is not known, and b.go is shown: %v", err)
		}
	})
	must(t, os.Remove(filepath.Join(dir, ".redline/ignore")))
	inTime(t, "changing", func() {
		d := NewDisk(w)
		wantRefusal(t, "write", d.WriteFile("a.go", "", "x"), "device, pipe or socket")
		wantRefusal(t, "create", d.CreateFile("a.go", "x", 0), "exists already")
	})
}

func TestPermissionDenied(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("permissions do not bind root: run this test as another user")
	}
	w, dir := newWorkspace(t, map[string]string{"a.go": "a", "locked/b.go": "b", "shut/c.go": "c"})
	must(t, os.Chmod(filepath.Join(dir, "a.go"), 0))
	must(t, os.Chmod(filepath.Join(dir, "locked"), 0o555))
	must(t, os.Chmod(filepath.Join(dir, "shut"), 0))
	t.Cleanup(func() {
		os.Chmod(filepath.Join(dir, "locked"), 0o755)
		os.Chmod(filepath.Join(dir, "shut"), 0o755)
	})
	_, err := w.Read("a.go")
	wantRefusal(t, "a.go", err, "permission was denied")
	_, err = w.Read("shut/c.go")
	wantRefusal(t, "shut/c.go", err, "permission was denied")
	paths, _, err := w.List(t.Context(), "", "", nil, 0)
	if err != nil || strings.Join(paths, " ") != "a.go locked/b.go" {
		t.Errorf("list: %v, %v", paths, err)
	}
	d := NewDisk(w)
	wantRefusal(t, "write in a read-only folder", d.WriteFile("locked/b.go", "b", "x"), "permission was denied")
	wantRefusal(t, "create in a read-only folder", d.CreateFile("locked/n.go", "x", 0), "permission was denied")
	wantRefusal(t, "delete in a read-only folder", d.RemoveFile("locked/b.go", "b"), "permission was denied")
	wantRefusal(t, "rename out of a read-only folder", d.RenameFile("locked/b.go", "new/b.go", "b", "b"), "permission was denied")
	if exists, _, _ := w.Stat("new/b.go"); exists {
		t.Error("a refused rename left the new file")
	}
}
