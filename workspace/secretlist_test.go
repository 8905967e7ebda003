package workspace_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"redline/workspace"
)

// Secret files are found wherever they are, also after folders have changed.
func TestSecretFiles(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	write := func(name string) {
		t.Helper()
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte("x"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	w := workspace.New([]workspace.Folder{{Dir: dir}}, workspace.Options{OffLimits: []string{filepath.Join(dir, "state")}})
	want := func(names ...string) {
		t.Helper()
		found, err := w.SecretFiles(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		for i, name := range found {
			rel, _ := filepath.Rel(dir, name)
			found[i] = filepath.ToSlash(rel)
		}
		if !slices.Equal(found, names) {
			t.Errorf("found %q, want %q", found, names)
		}
	}
	for _, name := range []string{"a.go", ".env", ".env.example", "node_modules/x/id_rsa", "node_modules/x/a.js", ".git/config", ".ssh/a", ".ssh/b", "own/a.key", "own/b.txt", "state/x", "target/deep/er/token.json"} {
		write(name)
	}
	write(".gitignore")
	all := []string{".env", ".ssh", "node_modules/x/id_rsa", "own/a.key", "state", "target/deep/er/token.json"}
	want(all...)
	old := time.Now().Add(-time.Hour)
	_ = filepath.WalkDir(dir, func(name string, _ os.DirEntry, _ error) error { return os.Chtimes(name, old, old) })
	want(all...)
	want(all...) // what is known by now
	write("target/deep/er/again.pem")
	want(slices.Sorted(slices.Values(append(slices.Clone(all), "target/deep/er/again.pem")))...)
	if err := os.RemoveAll(filepath.Join(dir, "target")); err != nil {
		t.Fatal(err)
	}
	want(slices.DeleteFunc(slices.Clone(all), func(name string) bool { return strings.HasPrefix(name, "target") })...)
	if err := os.MkdirAll(filepath.Join(dir, ".redline"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, ".redline", "ignore"), []byte("own/b.txt\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	want(".env", ".ssh", "node_modules/x/id_rsa", "own/a.key", "own/b.txt", "state")
}
