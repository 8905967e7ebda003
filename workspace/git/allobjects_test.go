package git_test

import (
	"context"
	"path"
	"slices"
	"strings"
	"testing"
	"time"
)

// All texts that a file ever had are found: in branches, tags and stashes, in merges, in commits that
// only a reflog has, and before a rename; and in the index.
func TestAllObjects(t *testing.T) {
	r := newRepository(t)
	var want []string
	keep := func(path, text string) {
		r.write(path, text)
		want = append(want, strings.TrimSpace(r.git("hash-object", path)))
	}
	keep(".env", "first\n")
	r.commit("with")
	keep(".env", "second\n")
	r.commit("amended away")
	r.git("rm", "-q", ".env")
	r.git("commit", "-q", "--amend", "--allow-empty", "-m", "without")
	r.git("checkout", "-q", "-b", "side")
	keep("sub/é .env", "side\n")
	r.commit("side")
	r.git("checkout", "-q", "main")
	keep("tagged.env", "tag\n")
	r.commit("tagged")
	r.git("tag", "v1")
	r.git("reset", "-q", "--hard", "HEAD~1")
	keep("stashed.env", "stash\n")
	r.git("add", "-A")
	r.git("stash")
	r.git("merge", "-q", "--no-commit", "--no-ff", "side")
	keep("merged.env", "merged\n")
	r.commit("merge")
	r.git("mv", "merged.env", "plain.txt")
	r.commit("renamed")
	keep("staged.env", "staged\n")
	r.git("add", "-A")
	stagedOnes := []string{want[len(want)-1], want[2]} // sorted
	if got, err := r.at("").StagedObjects(t.Context(), func(name string) bool { return strings.HasSuffix(name, ".env") }); err != nil || !slices.Equal(got, stagedOnes) {
		t.Errorf("staged are %q, want %q: %v", got, stagedOnes, err)
	}
	want = slices.Sorted(slices.Values(want[:len(want)-1]))
	all, err := r.at("").AllObjects(t.Context(), func(name string) bool { return strings.HasSuffix(path.Base(name), ".env") })
	if err != nil || !slices.Equal(all, want) {
		t.Errorf("found %q, want %q: %v\n%s", all, want, err, r.git("log", "--all", "--raw", "--no-abbrev", "-m"))
	}
	if all, err := r.at("").AllObjects(t.Context(), func(string) bool { return false }); err != nil || len(all) > 0 {
		t.Errorf("of nothing: %q %v", all, err)
	}
	late, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer cancel()
	if all, err := r.at("").AllObjects(late, func(string) bool { return true }); err == nil {
		t.Errorf("out of time: %q", all)
	}
}

// A repository without commits has none.
func TestAllObjectsOfNothing(t *testing.T) {
	r := newRepository(t)
	r.git("update-ref", "-d", "HEAD")
	r.git("rm", "-q", "-r", "--cached", ".")
	if all, err := r.at("").AllObjects(t.Context(), func(name string) bool { return true }); err != nil || len(all) != 2 { // of its reflog
		t.Errorf("%q %v", all, err)
	}
}
