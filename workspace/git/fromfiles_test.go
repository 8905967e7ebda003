package git_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"redline/workspace/git"
)

// alike compares the status from the repository's files with Git's. It reports whether the files
// were enough.
func (r repository) alike(what, folder string) bool {
	r.t.Helper()
	want := r.status(folder)
	got, ok := git.FromFiles(r.t.Context(), filepath.Join(r.dir, folder))
	if ok && !reflect.DeepEqual(got, want) {
		r.t.Errorf("%s: the files say\n%+v\nGit says\n%+v", what, got, want)
	}
	return ok
}

// onlyLinux skips a test of what is read without Git on Linux only.
func onlyLinux(t *testing.T) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("only Linux reads a repository without Git: run this test there")
	}
}

// Everyday states of a repository are known from its files, as Git reports them.
func TestStatusFromFiles(t *testing.T) {
	onlyLinux(t)
	r := newRepository(t)
	check := func(what string) {
		t.Helper()
		for _, folder := range []string{"", "sub"} {
			if !r.alike(what, folder) {
				t.Errorf("%s: of folder %q the files are not enough", what, folder)
			}
		}
	}
	check("nothing is changed")
	r.write("a.txt", "one\n")
	r.write("sub/b.txt", "c\n") // of the same size
	r.write("sub/c.txt", "c\n")
	r.write("new/deep/x", "x")
	r.write("new/y", "y")
	if err := os.MkdirAll(filepath.Join(r.dir, "empty/er"), 0o755); err != nil {
		t.Fatal(err)
	}
	check("changed and new files")
	r.write(".gitignore", "*.log\n/build/\n!keep.log\nsub/*.tmp\n**/gen\n[[:digit:]]\\ x\n")
	r.write("x.log", "")
	r.write("keep.log", "")
	r.write("build/x", "")
	r.write("sub/build/x", "")
	r.write("sub/x.tmp", "")
	r.write("sub/deep/x.tmp", "")
	r.write("sub/gen/x", "")
	r.write(".git/info/exclude", "excluded\n")
	r.write("excluded", "")
	r.write("only/x.log", "")
	r.write("1 x", "")
	check("ignored files")
	r.git("add", "-f", "build/x")
	r.write("build/x", "changed")
	check("a tracked file in an ignored folder")
	r.git("add", "a.txt", "sub/c.txt", "new")
	check("staged files")
	r.write("a.txt", "two\n")
	r.git("rm", "-q", "--cached", "sub/b.txt")
	check("staged, then changed")
	r.git("add", "-N", "keep.log")
	check("to be added")
	if err := os.Remove(filepath.Join(r.dir, "new/y")); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(r.dir, "sub/c.txt"), 0o755); err != nil {
		t.Fatal(err)
	}
	check("removed, and executable")
	r.commit("second")
	check("committed")
	r.git("gc", "-q")
	r.write("a.txt", "three\n")
	r.git("add", "a.txt")
	check("in packs")
	for i := range 30 { // trees that are deltas
		r.write(fmt.Sprintf("many/%02d.txt", i), strings.Repeat("x", i))
	}
	r.commit("third")
	r.write("many/07.txt", "7")
	r.commit("fourth")
	r.git("gc", "-q", "--aggressive")
	r.write("many/08.txt", "8")
	r.git("add", "many")
	check("deltas")
	r.git("update-index", "--assume-unchanged", "a.txt")
	r.git("update-index", "--skip-worktree", "many/09.txt")
	r.write("many/09.txt", "9")
	r.git("update-index", "--index-version", "4")
	check("the fourth version of an index")
	if err := os.Remove(filepath.Join(r.dir, "many/10.txt")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("a.txt", filepath.Join(r.dir, "many/10.txt")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("a.txt", filepath.Join(r.dir, "link")); err != nil {
		t.Fatal(err)
	}
	check("links")
	r.git("add", "-A")
	check("staged links")
	if err := os.RemoveAll(filepath.Join(r.dir, "many")); err != nil {
		t.Fatal(err)
	}
	r.write("many", "now a file")
	check("a file for a folder")
	r.git("add", "-A")
	check("a staged file for a folder")
	r.git("reset", "-q", "--hard")
	r.git("checkout", "-q", "-b", "topic/one")
	r.write("sub/b.txt", "topic\n")
	r.commit("of the topic")
	check("another branch")
	r.git("checkout", "-q", "-")
	r.write("sub/b.txt", "other\n")
	r.commit("of the trunk")
	if _, err := r.try("merge", "topic/one"); err == nil {
		t.Error("there is no conflict")
	}
	r.write("many/11.txt", "beside the conflict")
	check("a conflict")
	r.git("reset", "-q", "--hard")
	r.git("checkout", "-q", "--detach")
	check("no branch")
	r.git("pack-refs", "--all")
	r.git("checkout", "-q", "topic/one")
	check("packed refs")
	r.git("checkout", "-q", "--orphan", "new")
	if !r.alike("no commit", "") {
		t.Error("no commit: the files are not enough")
	}
}

// A file that was written again within the tick of a clock, with the same size, has changed.
func TestAFileWrittenAgainAtOnce(t *testing.T) {
	onlyLinux(t)
	r := newRepository(t)
	at := filepath.Join(r.dir, "a.txt")
	for i := range 20 {
		r.write("a.txt", fmt.Sprintf("%03d\n", i))
		r.git("add", "a.txt")
		r.write("a.txt", fmt.Sprintf("%03d\n", i+1))
		old := time.Unix(1_700_000_000, 0)
		if i%2 == 0 { // a program that keeps times
			if err := os.Chtimes(at, old, old); err != nil {
				t.Fatal(err)
			}
		}
		if !r.alike("written again", "") {
			t.Fatal("the files are not enough")
		}
	}
}

// What only Git can tell is left to it.
func TestWhatTheFilesDoNotTell(t *testing.T) {
	onlyLinux(t)
	for what, change := range map[string]func(r repository){
		"a filter":            func(r repository) { r.write(".gitattributes", "*.txt filter=x\n") },
		"ends of lines":       func(r repository) { r.write("a.txt", "one\r\ntwo\r\n") },
		"the case of names":   func(r repository) { r.git("config", "core.ignorecase", "true") },
		"a split index":       func(r repository) { r.git("update-index", "--split-index") },
		"a repository within": func(r repository) { r.git("init", "-q", "inner") },
		"a damaged index":     func(r repository) { r.write(".git/index", "DIRC") },
	} {
		t.Run(what, func(t *testing.T) {
			r := newRepository(t)
			r.write("a.txt", "changed\n")
			change(r)
			if s, ok := git.FromFiles(t.Context(), r.dir); ok {
				t.Errorf("the files say %+v", s)
			}
		})
	}
}

// Whatever was done to a repository, its files say what Git says, or nothing.
func TestFilesNeverContradictGit(t *testing.T) {
	onlyLinux(t)
	seed := uint64(time.Now().UnixNano())
	random := rand.New(rand.NewPCG(seed, 1))
	r := newRepository(t)
	names := []string{"a.txt", "sub/b.txt", "sub/c", "sub/deep/d", "sub/deep/e.log", "f.log", "g", "h/i/j", "h/k.tmp", "sub.txt", "sub-x/y"}
	name := func() string { return names[random.IntN(len(names))] }
	enough, steps := 0, 60
	for range steps {
		switch random.IntN(14) {
		case 0, 1, 2:
			r.writeOver(name(), fmt.Sprintln(random.IntN(3)))
		case 3:
			os.RemoveAll(filepath.Join(r.dir, name()))
		case 4:
			_, _ = r.try("add", name())
		case 5:
			r.git("add", "-A")
		case 6:
			_, _ = r.try("rm", "-q", "--cached", "-f", name())
		case 7:
			r.git("commit", "-q", "--allow-empty", "-m", "x")
		case 8:
			r.writeOver([]string{"", "sub/"}[random.IntN(2)]+".gitignore", []string{"*.log\n", "deep/\n!e.log\n", "/h\n*.tmp\n", "sub*\n", "\n"}[random.IntN(5)])
		case 9:
			_, _ = r.try("mv", name(), name())
		case 10:
			_ = os.Chmod(filepath.Join(r.dir, name()), 0o755)
		case 11:
			_, _ = r.try("stash", "-q")
		case 12:
			_, _ = r.try("reset", "-q", []string{"--soft", "--mixed", "--hard"}[random.IntN(3)], "HEAD~1")
		case 13:
			r.git("gc", "-q")
		}
		if r.alike(fmt.Sprint("seed ", seed), "") {
			enough++
		}
		if t.Failed() {
			return
		}
	}
	if enough < steps/2 {
		t.Errorf("of %d states the files told %d", steps, enough)
	}
}

// writeOver writes a file also where a folder, or a file for a folder above, is in the way.
func (r repository) writeOver(name, text string) {
	r.t.Helper()
	for dir := filepath.Dir(name); dir != "."; dir = filepath.Dir(dir) {
		if info, err := os.Lstat(filepath.Join(r.dir, dir)); err == nil && !info.IsDir() {
			os.Remove(filepath.Join(r.dir, dir))
		}
	}
	os.RemoveAll(filepath.Join(r.dir, name))
	r.write(name, text)
}
