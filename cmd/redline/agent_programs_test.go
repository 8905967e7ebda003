package main

import (
	"context"
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var stories = flag.Bool("stories", false, "run TestTrialStory, TestToolStories and what drives agents of others in each repository, with each agent and each set-up, not only in one")

const withAllAgents = "codex shows it in half a minute less: run with -stories"

const withStories = "one of Go's shows it in a minute less: run with -stories"

// installedAgent returns the program of .ci/install-agents with this name. The test is skipped if it
// is not there.
func installedAgent(t testing.TB, name string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("it starts a real agent: run it without -short")
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Skip("set HOME or XDG_CACHE_HOME, where .ci/install-agents puts the agents: ", err)
	}
	program := filepath.Join(cache, "redline-agents", "bin", name)
	if _, err := os.Stat(program); err != nil {
		t.Skipf("%s is not installed: run .ci/install-agents", name)
	}
	return program
}

// writeScript writes a script for scripted-agent and returns its name.
func writeScript(t testing.TB, dir string, s agentScript) string {
	t.Helper()
	text, err := json.Marshal(s)
	name := filepath.Join(dir, "script.json")
	if err == nil {
		err = os.WriteFile(name, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return name
}

// agentEdits has a step of each kind.
var agentEdits = agentScript{"Rename Total": {
	{Read: "prices.go"},
	{Edit: "prices.go", Old: beforeEdit + "\n", New: afterEdit + "\n"},
	{Run: "grep -c 'func Sum' prices.go && echo done > made.txt && rm old/gone.txt"},
	{Say: "Total is Sum now."},
}}

// The agents of others do what a scripted model says, with their own tools, without a question and
// without Redline: what is tested with them elsewhere rests on that.
func TestScriptedAgents(t *testing.T) {
	for name := range agentPrograms {
		t.Run(name, func(t *testing.T) {
			if !*stories && name != "codex" {
				t.Skip(withAllAgents)
			}
			program := installedAgent(t, name)
			dir, home := t.TempDir(), t.TempDir()
			script := writeScript(t, home, agentEdits)
			for file, text := range map[string]string{"prices.go": "package shop\n\n" + beforeEdit + "\n\treturn a + b\n}\n", "old/gone.txt": "old\n"} {
				file = filepath.Join(dir, filepath.FromSlash(file))
				if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
			defer cancel()
			cmd := exec.CommandContext(ctx, "scripted-agent", name, program, script, "Rename Total to Sum")
			cmd.Dir, cmd.Env = dir, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home}
			var said strings.Builder
			cmd.Stderr = &said
			out, err := cmd.Output()
			if err != nil || !strings.Contains(string(out), "Total is Sum now.") {
				t.Errorf("%v\n%s%s", err, out, &said)
			}
			text, err := os.ReadFile(filepath.Join(dir, "prices.go"))
			if err != nil || !strings.Contains(string(text), afterEdit) {
				t.Errorf("the file is %s, %v", text, err)
			}
			if made, err := os.ReadFile(filepath.Join(dir, "made.txt")); string(made) != "done\n" {
				t.Errorf("the command made %q, %v", made, err)
			}
			if _, err := os.Stat(filepath.Join(dir, "old", "gone.txt")); err == nil {
				t.Error("the command did not remove a file")
			}
		})
	}
}
