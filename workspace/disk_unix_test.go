//go:build unix

package workspace

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
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
