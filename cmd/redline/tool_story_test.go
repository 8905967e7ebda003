//go:build linux && (amd64 || arm64)

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"redline/agent/model/modeltest"
	"redline/agent/state"
	"redline/workspace/runner"
)

// toolUser is a user with a home of their own, with tools in it or elsewhere as such users have
// them, and a project. Packages come from a registry on loopback.
type toolUser struct {
	t         *testing.T
	ctx       context.Context
	home      string
	elsewhere string // a folder that is not in the home folder, for what a variable moves there
	project   string
	registry  *toolRegistry
	path      []string // of PATH, before the system's
	env       []string
}

// newToolUser makes a user with an empty project. The test is skipped if the machine lacks one of the
// programs.
func newToolUser(t *testing.T, programs ...string) *toolUser {
	t.Helper()
	if testing.Short() {
		t.Skip("tools of other languages are not run in short mode: run without -short")
	}
	if err := runner.Worlds(); err != nil {
		t.Skip("there are no worlds here: " + err.Error())
	}
	for _, name := range programs {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("%s is not here: install it", name)
		}
	}
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	t.Cleanup(cancel)
	u := &toolUser{t: t, ctx: ctx, home: filepath.Join(root, "home"), elsewhere: filepath.Join(root, "elsewhere"), project: filepath.Join(root, "home", "src", "shop")}
	for _, dir := range []string{u.project, u.elsewhere, filepath.Join(root, "tmp")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	u.env = []string{"HOME=" + u.home, "TMPDIR=" + filepath.Join(root, "tmp"), "LANG=C.UTF-8", "USER=me"}
	u.registry = newToolRegistry(t)
	u.files(u.home, map[string]string{ // nobody else is asked
		".npmrc":               "registry=REGISTRY/npm/\nupdate-notifier=false\nfund=false\naudit=false\n",
		".config/pip/pip.conf": "[global]\nindex-url = REGISTRY/simple/\ndisable-pip-version-check = true\n",
		".config/uv/uv.toml":   "python-downloads = \"never\"\n\n[[index]]\nurl = \"REGISTRY/simple/\"\ndefault = true\n",
	})
	return u
}

// installed returns the path of a file that .ci/install-tools installs, or skips the test.
func (u *toolUser) installed(name string) string {
	u.t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		u.t.Skip("there is no folder for caches: ", err)
	}
	file := filepath.Join(cache, "redline-tools", filepath.FromSlash(name))
	if _, err := os.Stat(file); err != nil {
		u.t.Skipf("%s is not here: run .ci/install-tools", filepath.Base(name))
	}
	return file
}

// files writes files, by their paths below a folder.
func (u *toolUser) files(dir string, files map[string]string) {
	u.t.Helper()
	for name, text := range files {
		name = filepath.Join(dir, filepath.FromSlash(name))
		for _, err := range []error{os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(strings.ReplaceAll(text, "REGISTRY", u.registry.url)), 0o644)} {
			if err != nil {
				u.t.Fatal(err)
			}
		}
	}
}

// link makes a link in a folder of PATH.
func (u *toolUser) link(dir, name, to string) {
	u.t.Helper()
	for _, err := range []error{os.MkdirAll(dir, 0o755), os.Symlink(to, filepath.Join(dir, name))} {
		if err != nil && !errors.Is(err, os.ErrExist) {
			u.t.Fatal(err)
		}
	}
}

// environ returns the user's environment.
func (u *toolUser) environ(more ...string) []string {
	path := strings.Join(append(u.path, "/usr/local/bin", "/usr/bin", "/bin"), string(os.PathListSeparator))
	return append(append(u.env, "PATH="+path), more...)
}

// does runs a command as the user does at a shell, and ends the test if it fails.
func (u *toolUser) does(line string, more ...string) {
	u.t.Helper()
	cmd := exec.CommandContext(u.ctx, "/bin/sh", "-c", line)
	cmd.Dir, cmd.Env = u.project, u.environ(more...)
	if out, err := cmd.CombinedOutput(); err != nil {
		u.t.Fatalf("%s: %v\n%s", line, err, out)
	}
}

// toolStory is a request: an edit of one file, a command to try with it, and one to run.
type toolStory struct {
	file, old, new string
	try, run       string
	then           string // what must work afterwards, as the user does it
}

// happens asks Redline, which approves all: the trial passes, and the command succeeds.
func (u *toolUser) happens(s toolStory) {
	u.t.Helper()
	p, out := u.asks([]string{"--approve", "--allow-commands"}, modelCalls("edit_file", "path", s.file, "old_string", s.old, "new_string", s.new),
		modelCalls("try_command", "command", s.try), modelCalls("run_command", "command", s.run))
	if len(p.Trials) != 1 || p.Trials[0].Verdict != "passed" {
		u.t.Errorf("the trial of %s is %+v", s.try, p.Trials)
	}
	if len(p.Commands) != 1 || p.Commands[0].ExitCode == nil || *p.Commands[0].ExitCode != 0 || p.State != "completed" {
		u.t.Errorf("the plan is %s, with %+v", p.State, p.Commands)
	}
	if u.t.Failed() {
		u.t.Fatal(out)
	}
	u.does(s.then)
}

// modelCalls returns a model's reply that calls a tool.
func modelCalls(tool string, args ...string) modeltest.Reply {
	named := map[string]string{}
	for i := 0; i+1 < len(args); i += 2 {
		named[args[i]] = args[i+1]
	}
	raw, _ := json.Marshal(named) // strings
	return modeltest.Stream(modeltest.Call(tool, string(raw)))
}

// asks asks Redline for something, with a model that gives these replies. It returns the plan, and
// what was printed and said to the model.
func (u *toolUser) asks(flags []string, replies ...modeltest.Reply) (p state.Plan, out string) {
	u.t.Helper()
	model := modeltest.New(append(replies, modeltest.Stream(modeltest.Text("It is done.")))...)
	base, err := model.Start()
	if err != nil {
		u.t.Fatal(err)
	}
	u.t.Cleanup(model.Close)
	u.files(u.home, map[string]string{".config/redline/config.toml": "[trials]\nmode = \"on\"\n"})
	redline := func(args ...string) (string, string) {
		cmd := exec.CommandContext(u.ctx, "redline", args...)
		cmd.Dir, cmd.Env = u.project, u.environ("OPENAI_BASE_URL="+base, "OPENAI_API_KEY="+scriptKey, "REDLINE_MODEL=scripted")
		var out, said bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &said
		if err := cmd.Run(); err != nil {
			fmt.Fprintln(&said, err) // what it means is in the plan
		}
		return out.String(), said.String()
	}
	printed, said := redline(append(append([]string{"run"}, flags...), "Do what is needed")...)
	shown, problem := redline("plans", "show", "1", "--json")
	if err := json.Unmarshal([]byte(shown), &p); err != nil {
		u.t.Fatalf("%v\n%s\n%s\n%s", err, problem, said, printed)
	}
	for _, r := range model.Requests() {
		if len(r.Messages) > 0 {
			said += "\n" + r.Messages[len(r.Messages)-1].Content
		}
	}
	return p, said + printed
}
