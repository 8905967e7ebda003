//go:build linux && (amd64 || arm64)

package lsp

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"redline/agent/state"
	"redline/agent/trial"
	"redline/lsp/command"
	"redline/lsp/lsptest"
	"redline/workspace/runner"
)

// hush is in each place that a trial must not see.
const hush = "hush-aB3kq7"

// tried runs a command as a trial and returns what is stored of its output.
func (c *connected) tried(line string) string {
	_, err := c.Execute(c.ctx, command.Try, map[string]any{"plan": 1, "command": line})
	c.must(err)
	var last state.Trial
	c.await(lsptest.Expect("the result of "+line, func(*lsptest.Editor) bool {
		raw, err := c.Execute(c.ctx, command.State, nil)
		c.must(err)
		var s state.State
		c.must(json.Unmarshal(raw, &s))
		for _, one := range s.Plans[0].Trials {
			last = one
		}
		return last.Command == line
	}))
	return last.Output
}

func gitIn(t *testing.T, dir string, args ...string) {
	t.Helper()
	c := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=A", "-c", "user.email=a@example.com"}, args...)...)
	c.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("git %q: %v\n%s", args, err, out)
	}
}

// A trial sees nothing that is secret: in the history of the workspace's repository and of one below
// it, in their settings and logs, under other names of such files, and in the folders of tools.
func TestTrialsSeeNoSecrets(t *testing.T) {
	if err := runner.Worlds(); err != nil {
		t.Skip("there are no worlds here: " + err.Error())
	}
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git here")
	}
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", home)
	token := "gh" + "p_" + "Zx9vB3kqT7uL2mNpRsWfHjGdYcXaVbE5oI8t"
	for name, text := range map[string]string{"bin/.env": hush, "bin/deploy": "#!/bin/sh\n# " + hush + " " + token, "bin/tool": "#!/bin/sh\necho tool ran\n", "go/src/other/.env": hush, "tools/x/y/z/.npmrc": hush, "tools/.git/config": "[remote \"o\"]\n\turl = https://me:" + hush + "@example.com/x\n"} {
		write(t, filepath.Join(home, filepath.FromSlash(name)), text)
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.Chmod(filepath.Join(home, "bin", "tool"), 0o755))
	c := connectTrying(t, trial.Options{Mode: trial.On, Home: home, Tools: []string{filepath.Join(home, "bin"), filepath.Join(home, "tools"), home, filepath.Dir(home)}})
	for _, dir := range []string{c.dir, filepath.Join(c.dir, "vendored", "lib")} {
		write(t, dir+"/.env", "KEY="+hush+"\n")
		write(t, dir+"/shown.txt", "shown\n")
		gitIn(t, dir, "init", "-q")
		gitIn(t, dir, "add", ".")
		gitIn(t, dir, "commit", "-qm", "with")
		write(t, dir+"/.env", "KEY="+hush+"2\n")
		gitIn(t, dir, "commit", "-qam", "amended")
		gitIn(t, dir, "rm", "-q", "--cached", ".env")
		gitIn(t, dir, "commit", "-q", "--amend", "-m", "without")
		gitIn(t, dir, "config", "remote.origin.url", "https://me:"+hush+"@example.com/x.git")
		write(t, dir+"/.git/logs/refs/heads/old", "0 0 A <a> 1 +0\tpull https://me:"+hush+"@example.com/x.git: Fast-forward\n")
	}
	must(os.Link(filepath.Join(c.dir, ".env"), filepath.Join(c.dir, "copy.txt")))
	write(t, c.dir+"/app.ini", "token = "+token+"\npassword = "+hush+"\n")
	c.plan(`replace "apple" with "pear"`)

	out := c.tried(`{ for d in . vendored/lib; do (cd $d
git show HEAD~1:.env; git show HEAD; git log --all -p; git log -g -p; git show HEAD@{1}:.env; git config -l; git remote -v; cat .git/config; git reflog; git grep KEY HEAD~1
git status; git show HEAD:shown.txt | sed 's/^/git: /'); done
cat .env copy.txt app.ini ~/bin/.env ~/bin/deploy ~/tools/x/y/z/.npmrc ~/tools/.git/config
grep -rs 'aB[3]kq7' . ~ ; tool; PATH=~/bin tool; ls ~ ~/go; } >/tmp/all 2>&1
grep -a 'aB[3]kq7' /tmp/all | sed 's/aB3kq7/LEAKED/'; grep -a -e 'git: shown' -e 'tool ran' /tmp/all; wc /tmp/all; exit 1`)
	if strings.Contains(out, "LEAKED") || strings.Count(out, "git: shown") != 2 || !strings.Contains(out, "tool ran") {
		t.Errorf("%s", out)
	}
}
