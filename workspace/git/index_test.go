package git

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// The file of an index may hold anything: its author need not be the user.
func FuzzParseIndex(f *testing.F) {
	dir := f.TempDir()
	run := func(args ...string) {
		c := exec.Command("git", append([]string{"-c", "user.name=A", "-c", "user.email=a@example.com"}, args...)...)
		c.Dir = dir
		if out, err := c.CombinedOutput(); err != nil {
			f.Skipf("git %q: %v\n%s", args, err, out)
		}
	}
	run("init", "-q")
	for _, name := range []string{"a", "b/c", "b/d/e"} {
		at := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			f.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(name), 0o644); err != nil {
			f.Fatal(err)
		}
	}
	run("add", ".")
	run("commit", "-q", "-m", "x")
	for _, version := range []string{"2", "3", "4"} {
		run("update-index", "--index-version", version)
		data, err := os.ReadFile(filepath.Join(dir, ".git", "index"))
		if err != nil {
			f.Fatal(err)
		}
		if x, ok := parseIndex(string(data)); !ok || len(x.entries) != 3 || x.trees == nil || len(x.trees.below["b"].below) != 1 {
			f.Fatalf("version %s is read as %+v, %t", version, x, ok)
		}
		f.Add(string(data))
	}
	f.Fuzz(func(t *testing.T, data string) {
		x, ok := parseIndex(data)
		if !ok {
			return
		}
		for i := range x.entries {
			if from, to := x.of(x.entries[i].path); i < from || i >= to {
				t.Fatalf("entry %d of %q is not found", i, x.entries[i].path)
			}
			_, _ = x.mode(&x.entries[i]), x.object(&x.entries[i])
		}
	})
}

// A delta may hold anything too.
func FuzzApplyDelta(f *testing.F) {
	f.Add("a base of twenty-two b", "\x16\x05\x90\x02\x03new")
	f.Fuzz(func(t *testing.T, base, delta string) {
		text, err := applyDelta([]byte(base), []byte(delta))
		if err == nil && len(text) > maxObject {
			t.Fatalf("%d bytes", len(text))
		}
	})
}
