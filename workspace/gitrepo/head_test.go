package gitrepo_test

import (
	"os"
	"path/filepath"
	"testing"

	"redline/workspace/gitrepo"
)

func TestBranch(t *testing.T) {
	dir := t.TempDir()
	newRepository(t, dir)
	want := func(branch string) {
		t.Helper()
		r, ok := gitrepo.Of(dir)
		if got := r.Branch(); !ok || got != branch {
			t.Errorf("the branch is %q, want %q", got, branch)
		}
	}
	git(t, dir, "checkout", "-q", "-b", "topic/x")
	want("topic/x")
	git(t, dir, "checkout", "-q", "--detach")
	want("")
	head := filepath.Join(dir, ".git", "HEAD")
	for _, text := range []string{"", "ref: refs/heads/.invalid\n", "ref: ../../secret\n"} {
		if err := os.WriteFile(head, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		want("")
	}
	if err := os.Remove(head); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "elsewhere"), "ref: refs/heads/secret\n")
	if err := os.Symlink(filepath.Join(dir, "elsewhere"), head); err != nil {
		t.Skipf("symbolic links cannot be made here: %v", err)
	}
	want("")
}
