package gitremote_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"redline/workspace/gitremote"
)

// planID is the id of the plan of most tests.
const planID = "0123456789abcdef0123456789abcdef"

// team is a remote repository with clones, and the user's own settings.
type team struct {
	t      testing.TB
	dir    string
	remote string // the bare repository
	format string // of objects, "" for the usual one
	opened []*gitremote.Remote
}

func newTeam(t testing.TB, format string) *team {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed: install it to run this test")
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range os.Environ() {
		if name, _, _ := strings.Cut(entry, "="); strings.HasPrefix(name, "GIT_") && name != "GIT_EXEC_PATH" {
			t.Setenv(name, "") // so that it has its value again after the test
			os.Unsetenv(name)
		}
	}
	tm := &team{t: t, dir: dir, remote: filepath.Join(dir, "remote.git"), format: format}
	t.Setenv("HOME", filepath.Join(dir, "home"))
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(dir, "home", ".config"))
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	t.Setenv("TMPDIR", filepath.Join(dir, "tmp"))
	tm.write("tmp/none", "")
	tm.write("home/.gitconfig", "[user]\n\tname = Ada\n\temail = ada@example.org\n")
	init := []string{"init", "-q", "--bare", "-b", "main"}
	if format != "" {
		init = append(init, "--object-format="+format)
	}
	tm.git(dir, append(init, tm.remote)...)
	tm.git(tm.remote, "config", "http.receivepack", "true")
	return tm
}

func (tm *team) write(name, text string) {
	tm.t.Helper()
	at := filepath.Join(tm.dir, name)
	if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
		tm.t.Fatal(err)
	}
	if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
		tm.t.Fatal(err)
	}
}

// script writes a program.
func (tm *team) script(name, text string) string {
	tm.t.Helper()
	tm.write(name, "#!/bin/sh\n"+text+"\n")
	at := filepath.Join(tm.dir, name)
	if err := os.Chmod(at, 0o700); err != nil {
		tm.t.Fatal(err)
	}
	return at
}

// git runs git as a user of the repository would.
func (tm *team) git(dir string, args ...string) string {
	tm.t.Helper()
	out, err := tm.try(dir, args...)
	if err != nil {
		tm.t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return out
}

func (tm *team) try(dir string, args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

// clone returns a new clone of the remote that has the address.
func (tm *team) clone(name, address string) string {
	tm.t.Helper()
	dir := filepath.Join(tm.dir, name)
	init := []string{"init", "-q", "-b", "main"}
	if tm.format != "" {
		init = append(init, "--object-format="+tm.format)
	}
	tm.git(tm.dir, append(init, dir)...)
	tm.write(name+"/a.txt", "one\n")
	tm.git(dir, "add", "a.txt")
	tm.git(dir, "commit", "-qm", "first")
	tm.git(dir, "remote", "add", "origin", address)
	return dir
}

// open opens origin of a clone.
func (tm *team) open(dir string) *gitremote.Remote {
	tm.t.Helper()
	r, err := gitremote.Open(tm.t.Context(), dir, "", gitremote.Options{})
	if err != nil {
		tm.t.Fatal(err)
	}
	tm.t.Cleanup(r.Close)
	tm.opened = append(tm.opened, r)
	return r
}

// lines is a merge of texts whose lines are a set.
func lines(ours string) gitremote.Merge {
	return func(theirs *gitremote.Document) ([]byte, string, error) {
		text := ours
		if theirs != nil {
			for line := range strings.Lines(string(theirs.Text)) {
				if !strings.Contains(text, line) {
					text += line
				}
			}
			if len(text) == len(theirs.Text) {
				return theirs.Text, "", nil
			}
		}
		return []byte(text), "plan: fix the sum", nil
	}
}

func (tm *team) push(r *gitremote.Remote, text string) gitremote.Pushed {
	tm.t.Helper()
	p, err := r.Push(tm.t.Context(), planID, lines(text))
	if err != nil {
		tm.t.Fatal(err)
	}
	return p
}

func (tm *team) pull(r *gitremote.Remote) *gitremote.Document {
	tm.t.Helper()
	d, err := r.Pull(tm.t.Context(), planID)
	if err != nil {
		tm.t.Fatal(err)
	}
	return d
}

// snapshot returns the texts of the files below a folder, by name.
func (tm *team) snapshot(dir string) string {
	tm.t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(dir, func(name string, e os.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			text, err := os.ReadFile(name)
			all.WriteString(name + "\n" + string(text) + "\n")
			return err
		}
		return err
	})
	if err != nil {
		tm.t.Fatal(err)
	}
	return all.String()
}
