//go:build linux && (amd64 || arm64)

package main

import (
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"redline/agent/model/modeltest"
)

// agentACP are the agents of others that speak ACP, by the name of their program: whose settings they have, and
// how they are started.
var agentACP = map[string]struct {
	of   string // in agentPrograms
	args []string
	keep []string // of what is in the home folder: its sessions, if they can be kept
}{
	"codex-acp":        {"codex", []string{"-c", `sandbox_mode="danger-full-access"`, "-c", `approval_policy="never"`}, []string{"~/.codex/sessions/"}},
	"opencode":         {"opencode", []string{"acp"}, nil},
	"claude-agent-acp": {"claude", nil, []string{"~/.claude/projects/"}},
	"gemini":           {"gemini", []string{"--acp", "-m", "gemini-2.5-pro"}, nil},
}

// The agents of others do the work of a request by ACP: their tools, answers and tokens are in the events, a
// rework continues the session where that is kept, and what they changed is the plan.
func TestAgentsByACP(t *testing.T) {
	script := agentScript{"Rename Total": agentEdits["Rename Total"], "Mention it": {
		{Read: "made.txt"},
		{Edit: "made.txt", Old: "done\n", New: "done, all of it\n"},
		{Say: "It is mentioned."},
	}}
	for name, acp := range agentACP {
		t.Run(name, func(t *testing.T) {
			if !*stories && name != "codex-acp" {
				t.Skip("codex-acp shows it in less time: run with -stories")
			}
			of := agentPrograms[acp.of]
			h := newAgentHouse(t, name, nil)
			t.Chdir(h.dir) // where the scripted model thinks that the agent is
			server := modeltest.NewOf(func(ask modeltest.Request) modeltest.Reply { return script.reply(ask, of.call) })
			base, err := server.Start()
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(server.Close)
			at, err := url.Parse(base)
			if err != nil {
				t.Fatal(err)
			}
			h.acpSettings(of, append([]string{name}, acp.args...), acp.keep, strings.TrimSuffix(base, "/v1"), at.Host)
			const old = "package shop\n\n" + beforeEdit + "\n\treturn a + b\n}\n"
			h.write(filepath.Join(h.dir, "prices.go"), old)
			h.write(filepath.Join(h.dir, "old", "gone.txt"), "old\n")

			status, out := h.redline("run", "--json", "--plan-only", "--with", "real", "--allow-outside", "Rename Total to Sum")
			if status != exitWaiting || h.onDisk("prices.go") != old {
				t.Fatalf("exit status %d\n%s", status, out)
			}
			for _, want := range []string{`"kind":"token"`, `"kind":"tool"`, `"name":"execute"`, "Total is Sum now."} {
				if !strings.Contains(out, want) {
					t.Errorf("the events have no %s:\n%s", want, out)
				}
			}
			p := h.planHas("delete old/gone.txt, create made.txt, update prices.go")
			if p.By != "real" || !strings.Contains(p.Description, "It ran `") {
				t.Errorf("it is by %q: %s", p.By, p.Description)
			}
			if status, out := h.redline("plans", "rework", "1", "Mention it"); status != exitWaiting {
				t.Fatalf("reworking: exit status %d\n%s", status, out)
			}
			if p := h.planHas("delete old/gone.txt, create made.txt, update prices.go"); p.Revision != 2 || !strings.Contains(p.Description, "It is mentioned.") {
				t.Errorf("revision %d: %s", p.Revision, p.Description)
			}
			requests := server.Requests()
			users := 0
			for _, m := range requests[len(requests)-1].Messages {
				if m.Role == "user" && (strings.Contains(m.Content, "Rename Total to Sum\n") || strings.Contains(m.Content, "You work in a new copy")) {
					users++
				}
			}
			if resumed := users >= 2; resumed != (acp.keep != nil) {
				t.Errorf("%d messages of the session are the user's: continued %t, want %t", users, resumed, acp.keep != nil)
			}
			if status, out := h.redline("plans", "approve", "1"); status != exitOK {
				t.Fatalf("approving: exit status %d\n%s", status, out)
			}
			if got, want := h.onDisk("prices.go"), strings.Replace(old, beforeEdit, afterEdit, 1); got != want || h.onDisk("made.txt") != "done, all of it\n" {
				t.Errorf("after the approval there is\n%s", h.files(h.dir))
			}
			h.until("processes to end", func() []string { return h.processes() })
		})
	}
}

// acpSettings writes the agent's own settings into the home folder, and a table for it into Redline's.
func (h *agentHouse) acpSettings(of agentProgram, argv, keep []string, base, address string) {
	h.t.Helper()
	var state, names []string
	for file, text := range of.files {
		h.write(filepath.Join(h.home, filepath.FromSlash(file)), strings.ReplaceAll(text, "{base}", base))
		state = append(state, "~/"+strings.SplitN(file, "/", 2)[0])
	}
	if state == nil && keep != nil {
		state = []string{"~/" + strings.Split(keep[0], "/")[1]}
	}
	for _, value := range of.env {
		name, _, _ := strings.Cut(value, "=")
		names = append(names, name)
		h.env = append(h.env, strings.ReplaceAll(value, "{base}", base))
	}
	h.settings(fmt.Sprintf("[trials]\nmode = \"on\"\n[outside.real]\nacp = %s\nstate = %s\nkeep = %s\nenv = %s\nnetwork = [%q]\n",
		tomlList(argv), tomlList(state), tomlList(keep), tomlList(names), address))
}
