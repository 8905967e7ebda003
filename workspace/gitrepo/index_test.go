package gitrepo

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// An index that is cut off, or damaged anywhere, is read without harm.
func FuzzIndex(f *testing.F) {
	git, err := exec.LookPath("git")
	if err != nil {
		f.Skip("git is not installed, so there is no index to begin with")
	}
	for _, version := range []string{"2", "3", "4"} {
		dir := f.TempDir()
		for _, args := range [][]string{{"init", "-q"}, {"add", "-N", "a"}, {"add", "dir/b", "dir/c"}, {"update-index", "--index-version", version}} {
			for _, name := range []string{"a", "dir/b", "dir/c"} {
				if err := os.MkdirAll(filepath.Join(dir, "dir"), 0o755); err != nil {
					f.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
					f.Fatal(err)
				}
			}
			cmd := exec.Command(git, args...)
			cmd.Dir = dir
			if out, err := cmd.CombinedOutput(); err != nil {
				f.Fatalf("git %v: %v\n%s", args, err, out)
			}
		}
		data, err := os.ReadFile(filepath.Join(dir, ".git", "index"))
		if err != nil {
			f.Fatal(err)
		}
		if names, err := names(string(data), 20); err != nil || len(names) != 3 || names[0] != "a" || names[2] != "dir/c" {
			f.Fatalf("version %s: %q, %v", version, names, err)
		}
		for i := range data {
			if names, err := names(string(data[:i]), 20); err == nil && len(names) != 3 {
				f.Errorf("version %s cut off at %d: %q", version, i, names)
			}
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, hash := range []int{20, 32} {
			if names, _ := names(string(data), hash); len(names) > len(data) {
				t.Errorf("%d names in %d bytes", len(names), len(data))
			}
		}
	})
}
