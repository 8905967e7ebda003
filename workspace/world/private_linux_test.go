//go:build amd64 || arm64

package world

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// Files that other users cannot read are private, and a private folder is private with everything
// in it.
func TestPrivate(t *testing.T) {
	dir := t.TempDir()
	for _, f := range []struct {
		name string
		mode os.FileMode
	}{{"open", 0o755}, {"open/key", 0o640}, {"open/config", 0o644}, {"closed", 0o750}, {"closed/config", 0o644}, {"key", 0o600}} {
		name := filepath.Join(dir, f.name)
		create := func() error { return os.WriteFile(name, nil, 0o600) }
		if f.mode&0o111 != 0 {
			create = func() error { return os.Mkdir(name, 0o700) }
		}
		if err := create(); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(name, f.mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("key", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	p := privateFiles{dir: dir, fresh: time.Hour}
	want := []string{filepath.Join(dir, "closed"), filepath.Join(dir, "key"), filepath.Join(dir, "open", "key")}
	if got := p.names(); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if err := os.Remove(filepath.Join(dir, "key")); err != nil {
		t.Fatal(err)
	}
	if got := p.names(); !slices.Equal(got, want) {
		t.Errorf("at once again: %q", got)
	}
	p.fresh = 0
	if got := p.names(); len(got) != 2 {
		t.Errorf("later: %q", got)
	}
	if got := privateIn(filepath.Join(dir, "missing")); len(got) > 0 {
		t.Errorf("missing: %q", got)
	}
}
