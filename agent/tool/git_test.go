package tool_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

// repository is a git repository, used read-only.
type repository struct {
	dir   string
	ask   io.WriteCloser // the input of git cat-file --batch
	reply *bufio.Reader
}

// openRepository opens the repository that contains dir. It fails if there is none or it
// has no commit.
func openRepository(t *testing.T, dir string) (*repository, error) {
	top, err := exec.CommandContext(t.Context(), "git", "-C", dir, "rev-parse", "--show-toplevel").Output()
	if err != nil {
		return nil, fmt.Errorf("%s is in no git repository that can be read (%w)", dir, err)
	}
	r := &repository{dir: strings.TrimSuffix(string(top), "\n")}
	if _, err := r.git(t.Context(), "rev-parse", "--verify", "HEAD"); err != nil {
		return nil, fmt.Errorf("%s has no commits", r.dir)
	}
	blobs := exec.CommandContext(context.Background(), "git", "-C", r.dir, "cat-file", "--batch")
	if r.ask, err = blobs.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := blobs.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := blobs.Start(); err != nil {
		return nil, err
	}
	r.reply = bufio.NewReader(out)
	t.Cleanup(func() {
		r.ask.Close()
		blobs.Wait()
	})
	return r, nil
}

func (r *repository) git(ctx context.Context, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, "git", append([]string{"-C", r.dir}, args...)...).Output()
	return string(out), err
}

// commit is a commit and its first parent, or the empty tree for the first commit.
type commit struct{ id, parent string }

// emptyTree is git's id of a tree without files.
const emptyTree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"

// commits returns the newest n commits, newest first; n = 0 means all.
func (r *repository) commits(t *testing.T, n int) []commit {
	t.Helper()
	args := []string{"log", "--first-parent", "--format=%H %P"}
	if n > 0 {
		args = append(args, "-n", strconv.Itoa(n))
	}
	out, err := r.git(t.Context(), args...)
	if err != nil {
		t.Fatal(err)
	}
	var all []commit
	for line := range strings.Lines(out) {
		ids := strings.Fields(line)
		all = append(all, commit{ids[0], append(ids, emptyTree)[1]})
	}
	return all
}

// fileChange is the change of one file in a commit. A missing side has mode 0.
type fileChange struct {
	status           byte // A, D, M, R, T
	oldMode, newMode int
	path, newPath    string // the same unless it is a rename
	old, new         string // texts
}

// changes returns the changes of a commit in git's order, with renames detected.
func (r *repository) changes(t *testing.T, c commit) []fileChange {
	t.Helper()
	out, err := r.git(t.Context(), "diff-tree", "-r", "-z", "-M", "--no-commit-id", "--no-abbrev", c.parent, c.id)
	if err != nil {
		t.Fatal(err)
	}
	var all []fileChange
	fields := strings.Split(strings.TrimSuffix(out, "\x00"), "\x00")
	for len(fields) > 1 {
		var f fileChange
		var was, is, status string
		if _, err := fmt.Sscanf(fields[0], ":%o %o %s %s %s", &f.oldMode, &f.newMode, &was, &is, &status); err != nil {
			t.Fatalf("%s: %q: %v", c.id, fields[0], err)
		}
		f.status, f.path, f.newPath = status[0], fields[1], fields[1]
		fields = fields[2:]
		if f.status == 'R' {
			f.newPath, fields = fields[0], fields[1:]
		}
		f.old, f.new = r.blob(t, f.oldMode, was), r.blob(t, f.newMode, is)
		all = append(all, f)
	}
	return all
}

// blob returns the text of a file with the given mode.
func (r *repository) blob(t *testing.T, mode int, id string) string {
	t.Helper()
	if mode == 0 || mode == submodule {
		return ""
	}
	fmt.Fprintln(r.ask, id)
	head, err := r.reply.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	var kind string
	var size int
	if _, err := fmt.Sscanf(head, "%s %s %d", &id, &kind, &size); err != nil {
		t.Fatalf("%q: %v", head, err)
	}
	text := make([]byte, size+1) // a line end follows
	if _, err := io.ReadFull(r.reply, text); err != nil {
		t.Fatal(err)
	}
	return string(bytes.TrimSuffix(text, []byte("\n")))
}

// Modes of git for entries that are no plain file.
const (
	symlink   = 0o120000
	submodule = 0o160000
)

// patch returns git's own diff of some files of a commit, with binary files as text.
func (r *repository) patch(t *testing.T, c commit, files []fileChange) string {
	t.Helper()
	args := []string{"diff-tree", "-p", "-M", "--no-commit-id", "--no-color", "--no-ext-diff", "--no-textconv", "--text", "-r", c.parent, c.id, "--"}
	for _, f := range files {
		args = append(args, ":(literal)"+f.path)
		if f.newPath != f.path {
			args = append(args, ":(literal)"+f.newPath)
		}
	}
	out, err := r.git(t.Context(), args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}
