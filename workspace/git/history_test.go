package git_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"redline/workspace/git"
)

// subjects lists the subjects of commits, and how many are left out.
func subjects(h git.History) string {
	var list []string
	for _, c := range h.Commits {
		list = append(list, c.Subject)
	}
	if h.Left > 0 || h.More {
		list = append(list, fmt.Sprintf("%d left, more: %t", h.Left, h.More))
	}
	return strings.Join(list, ", ")
}

func TestLog(t *testing.T) {
	r := newRepository(t)
	r.write("sub/b.txt", "bb\n")
	r.commit("second: Change b")
	r.git("mv", "a.txt", "c.txt")
	r.commit("third")
	r.git("tag", "v1")
	r.git("checkout", "-q", "-b", "topic/x", "HEAD~1")
	r.write("sub/b.txt", "bbb\n")
	r.commit("-fourth")
	r.git("checkout", "-q", "main")
	for _, test := range []struct {
		folder string
		query  git.Query
		want   string
	}{
		{"", git.Query{Limit: 9}, "third, second: Change b, first"},
		{"", git.Query{Limit: 1}, "third, 2 left, more: false"},
		{"", git.Query{Limit: 9, Path: "sub"}, "second: Change b, first"},
		{"", git.Query{Limit: 1, Path: "sub"}, "second: Change b, 1 left, more: true"},
		{"", git.Query{Limit: 9, Path: "c.txt"}, "third, first"},
		{"", git.Query{Limit: 9, Path: "gone.txt"}, ""},
		{"", git.Query{Limit: 9, Path: "*"}, ""},
		{"", git.Query{Limit: 9, Path: "--all"}, ""},
		{"", git.Query{Limit: 9, Grep: "change B"}, "second: Change b"},
		{"", git.Query{Limit: 9, Grep: "se.ond"}, ""},
		{"", git.Query{Limit: 9, Revision: "topic/x"}, "-fourth, second: Change b, first"},
		{"", git.Query{Limit: 9, Revision: "main..topic/x"}, "-fourth"},
		{"", git.Query{Limit: 9, Revision: "v1~2"}, "first"},
		{"", git.Query{Limit: 9, Revision: "main...topic/x", Path: "sub"}, "-fourth"},
		{"sub", git.Query{Limit: 9}, "second: Change b, first"},
		{"sub", git.Query{Limit: 9, Path: "b.txt"}, "second: Change b, first"},
	} {
		h, err := r.at(test.folder).Log(t.Context(), test.query)
		if got := subjects(h); err != nil || got != test.want {
			t.Errorf("%s %+v: %s, %v; want %s", test.folder, test.query, got, err, test.want)
		}
	}
	h, err := r.at("").Log(t.Context(), git.Query{Limit: 1})
	want := git.Commit{Short: r.git("rev-parse", "--short", "HEAD")[:7], Day: "2024-05-06", Author: "Ada", Subject: "third"}
	if err != nil || h.Commits[0] != want {
		t.Errorf("%+v, %v; want %+v", h, err, want)
	}
}

// No name of a commit is used as an option, a file, or a path.
func TestUnknownCommits(t *testing.T) {
	r := newRepository(t)
	for _, name := range []string{"nobody", "--all", "-p", "main -- a.txt", "HEAD:a.txt", ":a.txt", "a.txt", "HEAD\x00", "../main", "--output=x", "main..-p", strings.Repeat("x", 5000)} {
		_, err := r.at("").Log(t.Context(), git.Query{Revision: name, Limit: 1})
		if _, ok := errors.AsType[*git.Unknown](err); !ok {
			t.Errorf("log %.20q: %v", name, err)
		}
		_, _, err = r.at("").Between(t.Context(), name, "HEAD", "")
		if _, ok := errors.AsType[*git.Unknown](err); !ok {
			t.Errorf("diff %.20q: %v", name, err)
		}
	}
	if out := r.git("status", "--porcelain"); out != "" {
		t.Errorf("something was written: %s", out)
	}
	r.git("checkout", "-q", "--orphan", "new")
	if _, err := r.at("").Log(t.Context(), git.Query{Limit: 1}); err == nil || err.Error() != "the repository has no commit yet" {
		t.Errorf("without a commit: %v", err)
	}
}

func TestChanges(t *testing.T) {
	r := newRepository(t)
	r.write("sub/long.txt", strings.Repeat("the same line\n", 20))
	r.commit("second")
	r.write("a.txt", "ONE\n")
	r.git("rm", "-q", "sub/b.txt")
	r.git("mv", "sub/long.txt", "sub/moved.txt")
	r.write("new\nline.txt", "new\n")
	r.commit("third")
	changes := func(folder string, read func(*git.Repo) ([]git.Changed, bool, error)) (got []string) {
		t.Helper()
		list, more, err := read(r.at(folder))
		if err != nil || more {
			t.Errorf("more: %t, %v", more, err)
		}
		for _, c := range list {
			texts, err := r.at(folder).Texts(t.Context(), []string{c.Old, c.New})
			if err != nil {
				t.Error(err)
			}
			got = append(got, fmt.Sprintf("%s %q %q %d→%d", c.Kind, c.OldPath, c.Path, len(texts[c.Old]), len(texts[c.New])))
		}
		return got
	}
	in := func(commit, path string) func(*git.Repo) ([]git.Changed, bool, error) {
		return func(repo *git.Repo) ([]git.Changed, bool, error) { return repo.In(t.Context(), commit, path) }
	}
	check := func(what string, got []string, want ...string) {
		t.Helper()
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
	}
	check("a commit", changes("", in("", "")), `modified "" "a.txt" 14→4`, `added "" "new\nline.txt" 0→4`, `deleted "" "sub/b.txt" 2→0`, `renamed "sub/long.txt" "sub/moved.txt" 280→280`)
	check("in a folder", changes("sub", in("HEAD", "")), `deleted "" "b.txt" 2→0`, `renamed "long.txt" "moved.txt" 280→280`)
	check("of a file", changes("", in("HEAD", "a.txt")), `modified "" "a.txt" 14→4`)
	check("the first commit", changes("", in("HEAD~2", "")), `added "" "a.txt" 0→14`, `added "" "sub/b.txt" 0→2`)
	check("between commits", changes("", func(repo *git.Repo) ([]git.Changed, bool, error) {
		return repo.Between(t.Context(), "main~2", "HEAD~1", "")
	}), `added "" "sub/long.txt" 0→280`)

	check("ranges", append(changes("", func(repo *git.Repo) ([]git.Changed, bool, error) {
		return repo.Between(t.Context(), "HEAD~2..main~1", "", "")
	}), changes("", func(repo *git.Repo) ([]git.Changed, bool, error) {
		return repo.Between(t.Context(), "HEAD...HEAD~1", "", "")
	})...), `added "" "sub/long.txt" 0→280`)

	objects, err := r.at("sub").Objects(t.Context(), []string{"moved.txt", "b.txt", "../a.txt"})
	if err != nil || len(objects["moved.txt"]) != 40 || objects["b.txt"] != "" {
		t.Errorf("%v, %v", objects, err)
	}
}

func TestBlame(t *testing.T) {
	r := newRepository(t)
	first := r.git("rev-parse", "HEAD")[:40]
	r.write("a.txt", "one\n2\nthree\n")
	r.commit("second")
	second := r.git("rev-parse", "HEAD")[:40]
	got, err := r.at("").Blame(t.Context(), "a.txt", "zero\none\n2\nthree\n", 1, 3)
	want := []git.Blamed{
		{Line: 1, Text: "zero"},
		{Commit: first, Day: "2024-05-06", Author: "Ada", Subject: "first", Line: 2, Text: "one"},
		{Commit: second, Day: "2024-05-06", Author: "Ada", Subject: "second", Line: 3, Text: "2"},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
	if _, err := r.at("").Blame(t.Context(), "none.txt", "x\n", 1, 1); err == nil {
		t.Error("a file without a history has a blame")
	}
}

// The answer does not depend on what the user has set, but which line ends files have on disk does.
func TestUserSettings(t *testing.T) {
	r := newRepository(t)
	personal := repository{t, t.TempDir()}
	personal.write(".gitconfig", "[core]\n\tautocrlf = true\n\texcludesFile = ~/ignored\n[diff]\n\tnoprefix = true\n\texternal = false\n[status]\n\tshowUntrackedFiles = no\n[log]\n\tshowSignature = true\n\tfollow = true\n[color]\n\tui = always\n")
	personal.write("ignored", "*.log\n")
	t.Setenv("HOME", personal.dir)
	t.Setenv("USERPROFILE", personal.dir)
	r.write("a.txt", "one\r\ntwo\r\nthree\r\n")
	r.git("-c", "core.autocrlf=true", "add", "a.txt")
	if err := os.Chtimes(filepath.Join(r.dir, "a.txt"), time.Time{}, time.Unix(1e9, 0)); err != nil { // now its text counts
		t.Fatal(err)
	}
	r.write("x.log", "ignored\n")
	r.write("y.txt", "new\n")
	if s := r.status(""); len(s.Changed) > 0 || s.Untracked != 1 {
		t.Errorf("%+v", s)
	}
}
