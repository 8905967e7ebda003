package git_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"redline/workspace/git"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// repository is a repository for a test.
type repository struct {
	t   testing.TB
	dir string // the worktree
}

func newRepository(t testing.TB) repository {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed: install it to run this test")
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := repository{t, filepath.Join(dir, "project")}
	r.write("a.txt", "one\ntwo\nthree\n")
	r.write("sub/b.txt", "b\n")
	r.git("init", "-q", "-b", "main")
	r.commit("first")
	return r
}

// git runs Git as the repository's author would, without any user's settings.
func (r repository) git(args ...string) string {
	r.t.Helper()
	out, err := r.try(args...)
	if err != nil {
		r.t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return out
}

func (r repository) try(args ...string) (string, error) {
	c := exec.Command("git", append([]string{"-c", "user.name=Ada", "-c", "user.email=ada@example.com", "-c", "protocol.file.allow=always"}, args...)...)
	c.Dir = r.dir
	c.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_DATE=2024-05-06T07:08:09Z", "GIT_COMMITTER_DATE=2024-05-06T07:08:09Z")
	out, err := c.CombinedOutput()
	return string(out), err
}

func (r repository) commit(subject string) {
	r.t.Helper()
	r.git("add", "-A")
	r.git("commit", "-q", "--allow-empty", "-m", subject)
}

func (r repository) write(name, text string) {
	r.t.Helper()
	at := filepath.Join(r.dir, name)
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
		r.t.Fatal(err)
	}
}

// at returns the repository of a folder in the worktree.
func (r repository) at(folder string) *git.Repo {
	r.t.Helper()
	repo, err := git.At(filepath.Join(r.dir, folder), nil)
	if err != nil {
		r.t.Fatal(err)
	}
	return repo
}

func (r repository) status(folder string) git.Status {
	r.t.Helper()
	s, err := r.at(folder).Status(r.t.Context())
	if err != nil {
		r.t.Fatal(err)
	}
	return s
}

func TestStatus(t *testing.T) {
	r := newRepository(t)
	first := r.git("rev-parse", "HEAD")[:40]
	check := func(what string, got, want git.Status) {
		t.Helper()
		for i := range got.Changed {
			got.Changed[i].Old = ""
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\n%+v\nwant\n%+v", what, got, want)
		}
	}
	check("nothing is changed", r.status(""), git.Status{Branch: "main", Commit: first})

	r.write("a.txt", "one\n")
	r.write("sub/c.txt", "c\n")
	r.write("sub/ü b.txt", "new\n")
	r.git("add", "sub/ü b.txt")
	r.git("rm", "-q", "sub/b.txt")
	check("changes", r.status(""), git.Status{Branch: "main", Commit: first, Untracked: 1, Names: []string{"sub/c.txt"}, Changed: []git.Changed{
		{Path: "a.txt", Kind: git.Modified}, {Path: "sub/b.txt", Kind: git.Deleted}, {Path: "sub/ü b.txt", Kind: git.Added},
	}})
	check("of a folder", r.status("sub"), git.Status{Branch: "main", Commit: first, Untracked: 1, Names: []string{"c.txt"}, Changed: []git.Changed{
		{Path: "b.txt", Kind: git.Deleted}, {Path: "ü b.txt", Kind: git.Added},
	}})

	r.git("reset", "-q", "--hard")
	r.git("clean", "-qfd")
	r.git("pack-refs", "--all")
	r.git("checkout", "-q", "-b", "topic/one")
	check("another branch, packed refs", r.status(""), git.Status{Branch: "topic/one", Commit: first})
	r.git("checkout", "-q", "main")
	check("a packed branch", r.status(""), git.Status{Branch: "main", Commit: first})
	r.git("checkout", "-q", "--detach")
	check("no branch", r.status(""), git.Status{Commit: first})
	r.git("checkout", "-q", "--orphan", "new")
	r.git("rm", "-rqf", ".")
	check("no commit", r.status(""), git.Status{Branch: "new"})
}

// The author of a folder cannot make it show the repository of another folder.
func TestAt(t *testing.T) {
	r := newRepository(t)
	base := filepath.Dir(r.dir)
	r.git("worktree", "add", "-q", "../other")
	r.git("clone", "-q", "--separate-git-dir=../elsewhere", ".", "../separate")
	r.git("clone", "-q", "--shared", ".", "../borrowing")
	r.git("clone", "-q", ".", "../packless")
	other := repository{t, base}
	other.write("linked/a.txt", "")
	other.write("links/.git/config", "")
	other.write("none/a.txt", "")
	other.write("lies/.git", "gitdir: ../project/.git\n")
	link := func(target, name string) {
		if err := os.Symlink(filepath.Join(base, target), filepath.Join(base, name)); err != nil {
			t.Skipf("symbolic links cannot be made here: %v", err)
		}
	}
	link("project/.git", "linked/.git")
	if err := os.RemoveAll(filepath.Join(base, "packless/.git/objects/pack")); err != nil {
		t.Fatal(err)
	}
	link("project/.git/objects/pack", "packless/.git/objects/pack")
	for _, name := range []string{"HEAD", "objects", "refs"} {
		link("project/.git/"+name, "links/.git/"+name)
	}
	first := strings.TrimSpace(r.git("rev-parse", "HEAD:a.txt"))
	r.git("clone", "-q", "--no-local", ".", "../onepack")
	r.git("clone", "-q", "--no-hardlinks", ".", "../oneobject")
	packs, err := filepath.Glob(filepath.Join(base, "onepack/.git/objects/pack/*.pack"))
	if err != nil || len(packs) != 1 {
		t.Fatalf("%q %v", packs, err)
	}
	for _, name := range []string{packs[0], filepath.Join(base, "oneobject/.git/objects", first[:2], first[2:])} {
		if err := os.Rename(name, filepath.Join(base, filepath.Base(name))); err != nil {
			t.Fatal(err)
		}
		rel, _ := filepath.Rel(base, name)
		link(filepath.Base(name), rel)
	}
	for folder, readable := range map[string]bool{
		"onepack": false, "oneobject": false,
		"project": true, "project/sub": true, "other": true, "none": false, "lies": false, "linked": false, "links": false, "separate": false,
		"borrowing": false, "packless": false,
	} {
		repo, err := git.At(filepath.Join(base, folder), nil)
		if (err == nil) != readable {
			t.Errorf("%s: %v", folder, err)
		}
		if err == nil {
			if s, err := repo.Status(t.Context()); err != nil || len(s.Changed) > 0 || s.Commit == "" {
				t.Errorf("%s: %+v, %v", folder, s, err)
			}
		}
	}
	t.Setenv("PATH", base)
	if _, err := git.At(r.dir, nil); !errors.Is(err, git.ErrNoGit) {
		t.Errorf("without git: %v", err)
	}
}
