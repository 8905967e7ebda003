package gitremote_test

import (
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"redline/workspace/gitremote"
)

// travels pushes from one clone, pulls in another, and joins what both have.
func travels(t *testing.T, tm *team, ada, bob string) {
	t.Helper()
	before := tm.snapshot(ada) + tm.snapshot(bob)
	a, b := tm.open(ada), tm.open(bob)
	if _, err := a.Pull(t.Context(), planID); !errors.Is(err, gitremote.ErrMissing) {
		t.Errorf("pull of nothing: %v", err)
	}
	if err := a.Remove(t.Context(), planID); !errors.Is(err, gitremote.ErrMissing) {
		t.Errorf("removal of nothing: %v", err)
	}
	if p := tm.push(a, "Ada's\n"); !p.Made || p.Merged || p.Tries != 1 {
		t.Errorf("first push: %+v", p)
	}
	if p := tm.push(a, "Ada's\n"); !p.Same {
		t.Errorf("second push: %+v", p)
	}
	if p := tm.push(b, "Bob's\n"); !p.Merged || p.Made {
		t.Errorf("push of the other: %+v", p)
	}
	d := tm.pull(a)
	if string(d.Text) != "Bob's\nAda's\n" || d.Name != "Ada" || d.Email != "ada@example.org" || d.Signature != gitremote.Unsigned || d.Time.IsZero() {
		t.Errorf("pulled: %q %+v", d.Text, d.Commit)
	}
	list, others, err := b.List(t.Context())
	if err != nil || others != 0 || len(list) != 1 || list[0].ID != planID || list[0].Object != d.Object {
		t.Errorf("list: %v %d %v", list, others, err)
	}
	if n := tm.git(tm.remote, "rev-list", "--count", a.Ref(planID)); n != "2" {
		t.Errorf("%s commits", n)
	}
	if after := tm.snapshot(ada) + tm.snapshot(bob); after != before {
		t.Error("a clone was changed")
	}
	if err := b.Remove(t.Context(), planID); err != nil {
		t.Error(err)
	}
	if list, _, err := a.List(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("after the removal: %v %v", list, err)
	}
	a.Close()
	b.Close()
	if left, _ := filepath.Glob(filepath.Join(tm.dir, "tmp", "redline-*")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

func TestTravel(t *testing.T) {
	for _, format := range []string{"", "sha256"} {
		t.Run("file"+format, func(t *testing.T) {
			tm := newTeam(t, format)
			travels(t, tm, tm.clone("ada", tm.remote), tm.clone("bob", "file://"+tm.remote))
		})
	}
	t.Run("relative", func(t *testing.T) {
		tm := newTeam(t, "")
		ada := tm.clone("ada", "../remote.git")
		travels(t, tm, filepath.Join(ada, ".git", ".."), tm.clone("bob", "../remote.git"))
	})
	t.Run("http", func(t *testing.T) {
		tm := newTeam(t, "")
		address := tm.web(nil) + "/remote.git"
		travels(t, tm, tm.clone("ada", address), tm.clone("bob", address))
	})
	t.Run("ssh", func(t *testing.T) {
		tm := newTeam(t, "")
		address := tm.shell() + tm.remote
		a, b := tm.open(tm.clone("ada", address)), tm.open(tm.clone("bob", address))
		tm.push(a, "Ada's\n")
		tm.push(b, "Bob's\n")
		if d := tm.pull(a); string(d.Text) != "Bob's\nAda's\n" {
			t.Errorf("%q", d.Text)
		}
	})
}

func TestKindsOfRepositories(t *testing.T) {
	tm := newTeam(t, "")
	ada := tm.clone("ada", tm.remote)
	tm.git(ada, "push", "-q", "origin", "main")
	tm.git(tm.dir, "clone", "-q", "--depth=1", "file://"+tm.remote, "shallow")
	tm.git(tm.dir, "clone", "-q", "--bare", tm.remote, "bare")
	tm.git(ada, "worktree", "add", "-q", filepath.Join(tm.dir, "tree"))
	if err := os.Mkdir(filepath.Join(ada, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, other := range []string{"shallow", "bare", "tree", "ada/sub"} {
		t.Run(other, func(t *testing.T) {
			travels(t, &team{t: t, dir: tm.dir, remote: tm.remote}, ada, filepath.Join(tm.dir, other))
		})
	}
}

// A chain of commits grows by those of both.
func TestChain(t *testing.T) {
	tm := newTeam(t, "")
	a, b := tm.open(tm.clone("ada", tm.remote)), tm.open(tm.clone("bob", tm.remote))
	for _, r := range []*gitremote.Remote{a, b, a, a, b} {
		tm.push(r, rand.Text()+"\n")
	}
	if d := tm.pull(a); strings.Count(string(d.Text), "\n") != 5 {
		t.Errorf("%q", d.Text)
	}
	if n := tm.git(tm.remote, "rev-list", "--count", a.Ref(planID)); n != "5" {
		t.Errorf("%s commits", n)
	}
}

// A plain git push, fetch or clone leaves the documents alone, and nothing is on a branch.
func TestPlainGitSeesNothing(t *testing.T) {
	tm := newTeam(t, "")
	ada := tm.clone("ada", tm.remote)
	tm.push(tm.open(ada), "Ada's\n")
	tm.git(ada, "push", "-q", "origin", "main")
	tm.git(ada, "fetch", "-q")
	tm.git(tm.dir, "clone", "-q", tm.remote, "bob")
	for _, dir := range []string{ada, filepath.Join(tm.dir, "bob")} {
		if refs := tm.git(dir, "for-each-ref", "--format=%(refname)"); strings.Contains(refs, "redline") {
			t.Errorf("%s has %s", dir, refs)
		}
	}
	if branches := tm.git(tm.remote, "branch", "--list"); branches != "* main" {
		t.Errorf("the remote has %s", branches)
	}
}

func TestBranch(t *testing.T) {
	tm := newTeam(t, "")
	r, err := gitremote.Open(t.Context(), tm.clone("ada", tm.remote), "origin", gitremote.Options{Branch: "redline/plans"})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	tm.push(r, "Ada's\n")
	if d := tm.pull(r); string(d.Text) != "Ada's\n" {
		t.Errorf("%q", d.Text)
	}
	if branches := tm.git(tm.remote, "branch", "--list"); !strings.Contains(branches, "redline/plans/"+planID) {
		t.Errorf("the remote has %s", branches)
	}
}

// A push that another came before is merged and made again.
func TestTwoAtOnce(t *testing.T) {
	tm := newTeam(t, "")
	a, b := tm.open(tm.clone("ada", tm.remote)), tm.open(tm.clone("bob", tm.remote))
	first := true
	p, err := a.Push(t.Context(), planID, func(theirs *gitremote.Document) ([]byte, string, error) {
		if first {
			first = false
			tm.push(b, "Bob's\n")
		}
		return lines("Ada's\n")(theirs)
	})
	if err != nil || p.Tries != 2 || !p.Merged {
		t.Errorf("%+v %v", p, err)
	}
	if d := tm.pull(b); string(d.Text) != "Ada's\nBob's\n" {
		t.Errorf("%q", d.Text)
	}
	tries := 0
	_, err = a.Push(t.Context(), planID, func(theirs *gitremote.Document) ([]byte, string, error) {
		tries++
		tm.push(b, strings.Repeat("more", tries)+"\n")
		return lines("Ada's new\n")(theirs)
	})
	if tries != 5 || err == nil || !strings.Contains(err.Error(), "others pushed the plan to origin each time, 5 times: push again") {
		t.Errorf("%d tries: %v", tries, err)
	}
}
