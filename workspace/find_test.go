package workspace

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestFind(t *testing.T) {
	dir := newTree(t, map[string]string{"a/.git/": "", "a/b/c/": "", "a/own/.redline/": "", "a/own/d/": "", "out/e/": ""})
	for from, want := range map[string]string{"a/b/c": "a", "a": "a", "a/own/d": "a/own"} {
		if got, _ := Find(filepath.Join(dir, from), nil); got.Dir != filepath.Join(dir, want) {
			t.Errorf("from %s found %s, want %s", from, got, want)
		}
	}
	t.Chdir(filepath.Join(dir, "a", "b"))
	if got, _ := Find(".", nil); got.Dir != filepath.Join(dir, "a") || got.Name != "a" {
		t.Errorf("from . found %v", got)
	}
}

// A parent that another user owns, or in which another user has put the mark, is not the
// workspace unless the user's settings name it.
func TestFindPassesOverFoldersOfOthers(t *testing.T) {
	dir := newTree(t, map[string]string{"shared/.redline/": "", "shared/mine/.git/": "", "shared/mine/src/": "", "shared/loose/deep/": ""})
	at := func(rel string) string { return filepath.Join(dir, filepath.FromSlash(rel)) }
	for _, test := range []struct {
		name, from, foreign string
		trusted             []string
		want, passed        string
	}{
		{name: "mine below it", from: "shared/mine/src", foreign: "shared", want: "shared/mine"},
		{name: "the folder", from: "shared/loose/deep", foreign: "shared", want: "shared/loose/deep", passed: "shared"},
		{name: "only the mark", from: "shared/loose/deep", foreign: "shared/.redline", want: "shared/loose/deep", passed: "shared"},
		{name: "opened itself", from: "shared", foreign: "shared", want: "shared"},
		{name: "named", from: "shared/loose/deep", foreign: "shared", trusted: []string{at("shared")}, want: "shared"},
		{name: "named by a folder above", from: "shared/loose/deep", foreign: "shared", trusted: []string{dir + "/*"}, want: "shared"},
		{name: "all are", from: "shared/loose/deep", foreign: "shared", trusted: []string{"*"}, want: "shared"},
		{name: "another is", from: "shared/loose/deep", foreign: "shared", trusted: []string{at("share"), at("shared/loose")}, want: "shared/loose/deep", passed: "shared"},
		{name: "another's repository", from: "shared/mine/src", foreign: "shared/mine", want: "shared", passed: "shared/mine"},
	} {
		found, passed := find(at(test.from), test.trusted, func(name string) bool { return name != at(test.foreign) })
		if found.Dir != at(test.want) || passed != "" && passed != at(test.passed) || (passed == "") != (test.passed == "") {
			t.Errorf("%s: found %s, passed %q; want %s, %q", test.name, found.Dir, passed, at(test.want), test.passed)
		}
	}
}

func TestIsUser(t *testing.T) {
	for _, test := range []struct {
		owner, user int
		sudo        string
		want        bool
	}{
		{1000, 1000, "", true}, {1000, 1001, "", false}, {0, 1000, "", false}, {0, 0, "", true}, {1000, 0, "", false},
		{1000, 0, "1000", true}, {1001, 0, "1000", false}, {0, 0, "1000", true}, {1001, 1000, "1001", false}, {1000, 0, "x", false},
	} {
		if got := isUser(test.owner, test.user, test.sudo); got != test.want {
			t.Errorf("%+v: %v", test, got)
		}
	}
}

// The same with folders that really belong to another user.
func TestFindByOwner(t *testing.T) {
	if runtime.GOOS == "windows" || os.Geteuid() != 0 {
		t.Skip("only root can give folders away: run this test as root")
	}
	dir := newTree(t, map[string]string{"shared/.redline/agents/": "", "shared/mine/": ""})
	shared, mine := filepath.Join(dir, "shared"), filepath.Join(dir, "shared", "mine")
	t.Setenv("SUDO_UID", "")
	if found, _ := Find(mine, nil); found.Dir != shared {
		t.Errorf("of one user: %s", found.Dir)
	}
	for _, name := range []string{shared, filepath.Join(shared, ".redline")} {
		must(t, os.Chown(name, 4242, 4242))
		if found, passed := Find(mine, nil); found.Dir != mine || passed != shared {
			t.Errorf("%s is another's: found %s, passed %q", strings.TrimPrefix(name, dir), found.Dir, passed)
		}
		if found, _ := Find(shared, nil); found.Dir != shared {
			t.Errorf("the folder itself: %s", found.Dir)
		}
		t.Setenv("SUDO_UID", "4242")
		if found, _ := Find(mine, nil); found.Dir != shared {
			t.Errorf("of who has called sudo: %s", found.Dir)
		}
		t.Setenv("SUDO_UID", "")
	}
}
