//go:build linux && (amd64 || arm64)

package main

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"redline/agent/model/modeltest"
)

// The agents of others, as they are installed, do the work of a request by name: each reaches the one address
// that the settings name, through Redline, and its settings and sessions are a copy of the user's. A rework
// begins with what the plan proposes.
func TestAgentsByName(t *testing.T) {
	edits := slices.Clone(agentEdits["Rename Total"])
	edits[2].Run = "command -v own-tool && " + edits[2].Run // also in a login shell, as Codex runs it in
	script := agentScript{"Rename Total": edits, "Mention it": {
		{Read: "made.txt"},
		{Edit: "made.txt", Old: "done\n", New: "done, all of it\n"},
		{Say: "It is mentioned."},
	}}
	for name, of := range agentPrograms {
		t.Run(name, func(t *testing.T) {
			if !*stories && name != "codex" {
				t.Skip("codex shows it in half a minute less: run with -stories")
			}
			h := newAgentHouse(t, name, nil)
			if err := os.WriteFile(filepath.Join(h.tools, "own-tool"), []byte("#!/bin/sh\n"), 0o755); err != nil {
				t.Fatal(err)
			}
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
			h.agentSettings(of, strings.TrimSuffix(base, "/v1"), at.Host)
			const old = "package shop\n\n" + beforeEdit + "\n\treturn a + b\n}\n"
			h.write(filepath.Join(h.dir, "prices.go"), old)
			h.write(filepath.Join(h.dir, "old", "gone.txt"), "old\n")

			status, out := h.redline("run", "--plan-only", "--with", name, "--allow-outside", "Rename Total to Sum")
			if status != exitWaiting || h.onDisk("prices.go") != old {
				t.Fatalf("exit status %d\n%s", status, out)
			}
			h.planHas("delete old/gone.txt, create made.txt, update prices.go")
			if status, out := h.redline("plans", "rework", "1", "Mention it"); status != exitWaiting {
				t.Fatalf("reworking: exit status %d\n%s", status, out)
			}
			p := h.planHas("delete old/gone.txt, create made.txt, update prices.go")
			if p.By != name || p.Revision != 2 || !strings.Contains(p.Description, "It is mentioned.") {
				t.Errorf("revision %d is by %q: %s", p.Revision, p.By, p.Description)
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

// agentSettings writes the agent's own settings into the home folder, and its table into Redline's settings.
func (h *agentHouse) agentSettings(of agentProgram, base, address string) {
	h.t.Helper()
	var state, names []string
	for file, text := range of.files {
		h.write(filepath.Join(h.home, filepath.FromSlash(file)), strings.ReplaceAll(text, "{base}", base))
		state = append(state, "~/"+strings.SplitN(file, "/", 2)[0])
	}
	for _, value := range of.env {
		name, _, _ := strings.Cut(value, "=")
		names = append(names, name)
		h.env = append(h.env, strings.ReplaceAll(value, "{base}", base))
	}
	args := slices.DeleteFunc(slices.Clone(of.args), func(arg string) bool { return arg == "{request}" }) // on its input, as the presets have it
	if h.name == "gemini" {
		args = args[:len(args)-1] // -p wants it as an argument
	}
	h.settings(fmt.Sprintf("[trials]\nmode = \"on\"\n[outside.%s]\ncommand = %s\nstate = %s\nkeep = []\nenv = %s\nnetwork = [%q]\n",
		h.name, tomlList(append([]string{h.name}, args...)), tomlList(state), tomlList(names), address))
}

func tomlList(words []string) string {
	var quoted []string
	for _, w := range words {
		quoted = append(quoted, fmt.Sprintf("%q", w))
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}
