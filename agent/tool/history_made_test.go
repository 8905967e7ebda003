package tool_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestHistoryOfOddFiles replays two commits with changes that are rare in real history,
// and checks that those that no call can express are counted by name.
func TestHistoryOfOddFiles(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no mode bits and no symbolic links to be sure of")
	}
	dir := t.TempDir()
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=t", "-c", "user.email=t@localhost", "-c", "core.autocrlf=false"}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Skipf("git cannot make a repository here: %v: %s", err, out)
		}
	}
	write := func(name, text string, mode os.FileMode) {
		t.Helper()
		full := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(full, mode); err != nil {
			t.Fatal(err)
		}
	}
	lines := strings.Repeat("a line\nanother line\n", 20)
	git("init", "-q")
	write("mixed.txt", "one\r\ntwo\nthree\r\nfour\n", 0o644)
	write("crlf.txt", "one\r\ntwo\r\n", 0o644)
	write("ends.txt", "one\r\ntwo\r\n", 0o644)
	write("bom.txt", "\ufeffone\ntwo\n", 0o644)
	write("marked.txt", "\ufeffone\ntwo\n", 0o644)
	write("marked-crlf.txt", "\ufeffone\r\ntwo\r\n", 0o644)
	write("unmarked.txt", "\ufeffone\ntwo\n", 0o644)
	write("marked-gone.txt", "\ufeffone\n", 0o644)
	write("open.txt", "one\ntwo", 0o755)
	write("closed.txt", "one\ntwo\n", 0o644)
	write("from.txt", lines+"end\n", 0o755)
	write("tool.sh", "#!/bin/sh\n", 0o644)
	write("gone", "x", 0o644)
	write("becomes", "a file\n", 0o644)
	write("same.txt", lines, 0o644)
	write("empty", "", 0o644)
	write("bin", "a\x00b", 0o644)
	write(".env", "KEY=1\n", 0o644)
	if err := os.Symlink("gone", filepath.Join(dir, "link")); err != nil {
		t.Skipf("symbolic links cannot be made here: %v", err)
	}
	git("add", "-A")
	git("commit", "-q", "-m", "first")

	write("mixed.txt", "one\r\n2\nthree\r\nnew\r\nfour\n", 0o644)
	write("crlf.txt", "one\r\nnew\r\ntwo\r\n", 0o644)
	write("ends.txt", "one\ntwo\n", 0o644)
	write("bom.txt", "one\ntwo\n", 0o644)
	write("marked.txt", "\ufeff1\ntwo\n", 0o644)
	write("marked-crlf.txt", "\ufeffzero\r\none\r\ntwo\r\n", 0o644)
	write("unmarked.txt", "1\ntwo\n", 0o644)
	write("marked-new.txt", "\ufeffone\n", 0o644)
	write("open.txt", "1\ntwo\nthree\n", 0o755)
	write("closed.txt", "one\n2", 0o644)
	for _, name := range []string{"from.txt", "gone", "becomes", "marked-gone.txt"} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	write("to/to.txt", lines+"the end\n", 0o755)
	write("tool.sh", "#!/bin/sh\n", 0o755)
	write("becomes/a/folder", "x\n", 0o644)
	write("same.txt", "new\n"+strings.Replace(lines, "a line", "a line\na line", 3), 0o644)
	write("empty", "no more", 0o644)
	write("bin", "a\x00c", 0o644)
	write(".env", "KEY=2\n", 0o644)
	write("run.sh", "#!/bin/sh\n", 0o755)
	git("add", "-A")
	git("commit", "-q", "-m", "second")

	repo, err := openRepository(t, dir)
	if err != nil {
		t.Fatal(err)
	}
	r := replayed(t, repo, 0)
	t.Log(r.report())
	if r.commits != 2 || r.files == 0 {
		t.Errorf("%d commits, %d files", r.commits, r.files)
	}
	want := map[string]int{
		"a binary file, or one that is not UTF-8": 2,
		"a symbolic link":                         1,
		"a change of the mode alone":              1,

		"a new file that is executable, as pairs":                 3,
		"a new file that is executable, as whole files":           3,
		"a new file that is executable, as begin-patch":           3,
		"a new file that is executable, as one begin-patch":       3,
		"a new file that is executable, as SEARCH/REPLACE blocks": 3,

		"a last line without a line end, which the form cannot say, as one begin-patch":                           5,
		"a last line without a line end, which the form cannot say, as SEARCH/REPLACE blocks":                     5,
		"a new file without text, which the form cannot say, as SEARCH/REPLACE blocks":                            1,
		"a hunk that stands in several places, given again with more lines, as unified diff without line numbers": 1, // same.txt

		"a last line without a line end, which the form cannot say, as begin-patch": 5, // open.txt and closed.txt among them
		"a change of nothing but line ends or the last one, as whole files":         1, // ends.txt
		"line ends or the last one kept as in the file, as whole files":             1, // closed.txt

		"a change of the byte order mark alone":                    1, // bom.txt
		"a change of the byte order mark besides that of the text": 1, // unmarked.txt
	}
	if diff := cmp.Diff(want, r.counted); diff != "" {
		t.Errorf("counted (-want +got):\n%s", diff)
	}
}
