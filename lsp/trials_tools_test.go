//go:build linux && (amd64 || arm64)

package lsp

import (
	"os"
	"path/filepath"
	"testing"

	"redline/agent"
	"redline/agent/trial"
	"redline/lsp/lsptest"
	"redline/workspace/runner"
	"redline/workspace/toolfolders"
)

// Variables and a PATH that name folders in the workspace show nothing of what its links lead to,
// unless that is a tool.
func TestTrialsSeeNoToolsByWayOfTheWorkspace(t *testing.T) {
	if err := runner.Worlds(); err != nil {
		t.Skip("there are no worlds here: " + err.Error())
	}
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := &setUp{t, home, filepath.Join(home, "ws")}
	s.put(map[string]string{
		"ws/a.txt": twoFruits, "ws/bin": "->HOME/Documents", "ws/.venv": "->HOME/notes", "ws/pkg": "->HOME/mail", "ws/.cargo": "->HOME/app", "by": "->ws",
		"Documents/private.txt": "hush\n", "notes/private.txt": "hush\n", "mail/private.txt": "hush\n", "app/config": "hush\n",
		"envs/x/pyvenv.cfg": "", "envs/x/bin/run": "#!/bin/sh\necho run\n", "ws/env": "->HOME/envs/x",
	})
	for name, value := range map[string]string{
		"HOME": home, "GOPATH": s.ws, "VIRTUAL_ENV": filepath.Join(s.ws, ".venv"), "CARGO_HOME": filepath.Join(s.ws, ".cargo"), "CONDA_PREFIX": filepath.Join(s.ws, "env"),
		"PATH": filepath.Join(home, "by", "bin") + ":" + s.ws + "/bin:" + s.ws + "/env/bin:" + os.Getenv("PATH"),
	} {
		t.Setenv(name, value)
	}
	ed := connectTo(t, lsptest.Honest(), s.ws, Options{NewAgent: builtinAgent(t, func(options *agent.Options) {
		options.Trials = trial.Options{Mode: trial.On, Home: home, Tools: toolfolders.Seen()}
	})}, lsptest.WithEvents())
	ed.must(ed.Open("a.txt"))
	ed.plan(`replace "apple" with "pear"`)
	if out := ed.tried("run; cat ~/*/private.txt ~/app/config bin/* .venv/* pkg/* .cargo/* 2>/dev/null"); out != "run\n" {
		t.Errorf("a trial prints\n%s", out)
	}
}
