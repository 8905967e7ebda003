package trial

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"redline/workspace"
	"redline/workspace/gitrepo"
)

// A history is looked through once by all processes, and again when anything has changed on which it
// depends which of its texts are secret.
func TestHistoriesAreKept(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("it needs git: install it")
	}
	dir, state := t.TempDir(), t.TempDir()
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-c", "user.name=me", "-c", "user.email=me@example.org", "-c", "gc.auto=0"}, args...)...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
	}
	write := func(name, text string) {
		t.Helper()
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	process := func() (s *worlds, objects []string, known bool) { // another one each time
		t.Helper()
		s = &worlds{ws: workspace.New([]workspace.Folder{{Dir: dir}}, workspace.Options{StateDir: state}), histories: map[string]history{}}
		found, err := s.ws.SecretFiles(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		r, ok := gitrepo.Of(dir)
		if !ok {
			t.Fatal("there is no repository")
		}
		objects, known = s.secretObjects(t.Context(), dir, r, found.Links)
		return s, objects, known
	}
	git("init", "-q")
	write(".env", "A=1\n")
	write("a.txt", "a\n")
	write("keys/b.txt", "b\n")
	git("add", "-A")
	git("commit", "-qm", "all")

	s, first, known := process()
	if len(first) != 2 || first[0] != first[1] || !known {
		t.Fatalf("the text of .env is in a commit and in the index: %q, %v", first, known)
	}
	if len(s.kept()) != 0 {
		t.Error("what was written just now may change again at the same time")
	}
	// From here on, each change must have the history looked through again: a mark tells whether it was.
	const mark = "0123456789012345678901234567890123456789"
	marked := func() {
		t.Helper()
		s, _, _ := process()
		h := s.histories[dir]
		h.Committed = []string{mark}
		s.keep(dir, h)
	}
	for _, c := range []struct {
		what    string
		change  func()
		keeps   bool // the history of commits
		objects int  // how many, the mark is one
	}{
		{"nothing", func() {}, true, 2},
		{"another text", func() { write("a.txt", "other\n") }, true, 2},
		{"the index", func() { write("b.key", "k\n"); git("add", "-A") }, true, 3},
		{"a commit", func() { git("commit", "-qm", "key") }, false, 4},
		{"a list of secret files", func() { write(".redline/ignore", "a.txt\n") }, false, 7},
		{"a link", func() {
			if err := os.Symlink("keys", filepath.Join(dir, "also")); err != nil {
				t.Skip("it needs symbolic links: allow them to this user")
			}
		}, false, 7},
		{"another link", func() {
			if err := os.Remove(filepath.Join(dir, "also")); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(".", filepath.Join(dir, "also")); err != nil {
				t.Fatal(err)
			}
		}, false, 7},
	} {
		marked()
		c.change()
		_, objects, known := process()
		if got := slices.Contains(objects, mark); got != c.keeps || len(objects) != c.objects || !known {
			t.Errorf("%s: %q, %v, want %d with the mark %v", c.what, objects, known, c.objects, c.keeps)
		}
	}
	marked()
	write(".git/objects/info/alternates", "/elsewhere\n")
	if _, objects, known := process(); known {
		t.Errorf("the repository borrows objects now: %q", objects)
	}
}
