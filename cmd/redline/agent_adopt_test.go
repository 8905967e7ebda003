//go:build linux && (amd64 || arm64)

package main

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"redline/agent/state"
)

// agentHouse is a house in which an agent of others works, see installedAgent.
type agentHouse struct {
	*trialHouse
	name, tools string
}

func newAgentHouse(t *testing.T, name string, script agentScript) *agentHouse {
	t.Helper()
	program := installedAgent(t, name)
	h := &agentHouse{trialHouse: newTrialHouse(t, 5*time.Minute), name: name}
	h.tools = filepath.Join(h.root, "tools") // on PATH, and so in a copy
	scripted, err := exec.LookPath("scripted-agent")
	if err == nil {
		err = os.Mkdir(h.tools, 0o755)
	}
	for link, to := range map[string]string{"scripted-agent": scripted, name: program} {
		if err == nil {
			err = os.Symlink(to, filepath.Join(h.tools, link))
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	writeScript(t, h.tools, script)
	h.env = append(h.env, "PATH="+h.tools+string(os.PathListSeparator)+os.Getenv("PATH"))
	return h
}

// redline runs Redline in the workspace and returns its exit status, and what it printed.
func (h *agentHouse) redline(args ...string) (int, string) {
	h.t.Helper()
	cmd := exec.CommandContext(h.ctx, "redline", args...)
	cmd.Dir, cmd.Env = h.dir, append(cmd.Environ(), h.env...)
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) {
		h.t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(out) + said.String()
}

// adopt has the agent work in a copy, where it is asked for something.
func (h *agentHouse) adopt(request string, flags ...string) (int, string) {
	h.t.Helper()
	line := []string{"--", "scripted-agent", h.name, h.name, filepath.Join(h.tools, "script.json"), request}
	return h.redline(append(append([]string{"adopt"}, flags...), line...)...)
}

// plan returns a plan as redline plans show has it.
func (h *agentHouse) plan(n string) (p state.Plan) {
	h.t.Helper()
	_, shown := h.redline("plans", "show", n, "--json")
	if err := json.Unmarshal([]byte(shown), &p); err != nil {
		h.t.Fatalf("%v\n%s", err, shown)
	}
	return p
}

// planHas returns the plan, and fails the test unless it has these files, each with what is done to it.
func (h *agentHouse) planHas(want string) state.Plan {
	h.t.Helper()
	p := h.plan("1")
	var files []string
	for _, f := range p.Files {
		files = append(files, f.Action+" "+f.Path)
	}
	if got := strings.Join(files, ", "); got != want {
		h.t.Errorf("the plan has %s, want %s", got, want)
	}
	return p
}

// unchanged fails the test if anything but Redline's own state is another than before, or something
// of the copy is left.
func (h *agentHouse) unchanged(before string) {
	h.t.Helper()
	h.until("processes to end", func() []string { return h.processes() })
	h.until("mounts to go", h.mounts)
	if changed := differences(before, h.files(h.root)); len(changed) > 0 {
		h.t.Errorf("changed:\n%s", strings.Join(changed, "\n"))
	}
}

// An agent of others, as it is installed, works in a copy: nothing else changes, and what it changed
// there is the plan, file by file. Approved, it is in the workspace, and undone, it is not.
func TestAgentsAdopted(t *testing.T) {
	for name := range agentPrograms {
		t.Run(name, func(t *testing.T) {
			if !*stories && name != "codex" {
				t.Skip(withAllAgents)
			}
			h := newAgentHouse(t, name, agentEdits)
			const old = "package shop\n\n" + beforeEdit + "\n\treturn a + b\n}\n"
			h.write(filepath.Join(h.dir, "prices.go"), old)
			h.write(filepath.Join(h.dir, "old", "gone.txt"), "old\n")
			before := h.files(h.root)

			status, out := h.adopt("Rename Total to Sum", "--plan-only")
			if status != exitWaiting {
				t.Fatalf("exit status %d\n%s", status, out)
			}
			h.unchanged(before)
			h.planHas("delete old/gone.txt, create made.txt, update prices.go")

			if status, out := h.redline("plans", "approve", "1"); status != exitOK {
				t.Fatalf("approving: exit status %d\n%s", status, out)
			}
			if got, want := h.onDisk("prices.go"), strings.Replace(old, beforeEdit, afterEdit, 1); got != want || h.onDisk("made.txt") != "done\n" {
				t.Errorf("after the approval there is\n%s", h.files(h.dir))
			}
			if status, out := h.redline("plans", "undo", "1"); status != exitOK {
				t.Fatalf("undoing: exit status %d\n%s", status, out)
			}
			if h.onDisk("prices.go") != old || h.onDisk("old/gone.txt") != "old\n" {
				t.Errorf("after undo there is\n%s", h.files(h.dir))
			}
		})
	}
}

// ESLint fixes files in a copy; its fixes are the plan.
func TestESLintAdopted(t *testing.T) {
	h := newAgentHouse(t, "eslint", nil)
	h.write(filepath.Join(h.dir, "eslint.config.mjs"), "export default [{rules: {'prefer-const': 'error', semi: 'error'}}];\n")
	h.write(filepath.Join(h.dir, "a.js"), "let one = 1\nexport default one\n")
	h.write(filepath.Join(h.dir, "b.js"), "export const two = 2;\n")
	before := h.files(h.root)
	if status, out := h.redline("adopt", "--", "eslint", "--fix", "."); status != exitWaiting {
		t.Fatalf("exit status %d\n%s", status, out)
	}
	h.unchanged(before)
	if p := h.plan("1"); len(p.Files) != 1 || p.Files[0].Path != "a.js" {
		t.Errorf("the plan has %+v", p.Files)
	}
	if status, out := h.redline("plans", "approve", "1"); status != exitOK || h.onDisk("a.js") != "const one = 1;\nexport default one;\n" {
		t.Errorf("exit status %d\n%s\n%s", status, out, h.onDisk("a.js"))
	}
}
