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
	for name, of := range agentPrograms {
		t.Run(name, func(t *testing.T) {
			if !*stories && name != "codex" {
				t.Skip(withAllAgents)
			}
			h := newAgentHouse(t, name, nil)
			if err := os.WriteFile(filepath.Join(h.tools, "own-tool"), []byte("#!/bin/sh\n"), 0o755); err != nil {
				t.Fatal(err)
			}
			edits := slices.Clone(agentEdits["Rename Total"])
			edits[2].Run = "command -v own-tool && " + edits[2].Run                                               // also in a login shell, as Codex runs it in
			args := slices.DeleteFunc(slices.Clone(of.args), func(arg string) bool { return arg == "{request}" }) // on its input, as the presets have it
			if name == "gemini" {
				args = args[:len(args)-1] // -p wants it as an argument
			}
			w := &agentAtWork{agentHouse: h, of: of, table: "[outside." + name + "]\ncommand = " + tomlList(append([]string{name}, args...))}
			w.begin(edits)
			w.does(name)
			w.isReworked()
		})
	}
}

// Those that speak ACP do it too: their tools and answers are in the events, and a rework continues the session
// where that is kept.
func TestAgentsByACP(t *testing.T) {
	for name, of := range agentPrograms {
		if of.acp == nil {
			continue
		}
		t.Run(of.acp[0], func(t *testing.T) {
			if !*stories && name != "codex" {
				t.Skip("codex-acp shows it in less time: run with -stories")
			}
			w := &agentAtWork{agentHouse: newAgentHouse(t, of.acp[0], nil), of: of, keep: of.keep, table: "[outside.real]\nacp = " + tomlList(of.acp)}
			server := w.begin(agentEdits["Rename Total"])
			out := w.does("real", "--json")
			for _, want := range []string{`"kind":"token"`, `"kind":"tool"`, `"name":"execute"`, "Total is Sum now."} {
				if !strings.Contains(out, want) {
					t.Errorf("the events have no %s:\n%s", want, out)
				}
			}
			if p := w.plan("1"); !strings.Contains(p.Description, "It ran `") {
				t.Errorf("it has not said what it ran: %s", p.Description)
			}
			w.isReworked()
			requests := server.Requests()
			users := 0
			for _, m := range requests[len(requests)-1].Messages {
				if m.Role == "user" && (strings.Contains(m.Content, "Rename Total to Sum\n") || strings.Contains(m.Content, "You work in a new copy")) {
					users++
				}
			}
			if resumed := users >= 2; resumed != (of.keep != nil) {
				t.Errorf("%d messages of the session are the user's: continued %t, want %t", users, resumed, of.keep != nil)
			}
		})
	}
}

// agentAtWork is a house whose agent asks a scripted model.
type agentAtWork struct {
	*agentHouse
	of    agentProgram
	table string   // of Redline's settings: its beginning
	keep  []string // in the home folder
	by    string   // the agent's name there
}

const beforeWork = "package shop\n\n" + beforeEdit + "\n\treturn a + b\n}\n"

// changedByWork are the changes that agentEdits makes.
const changedByWork = "delete old/gone.txt, create made.txt, update prices.go"

// begin starts the model, which has the agent make these edits, and writes all settings and files.
func (w *agentAtWork) begin(edits []agentStep) *modeltest.Server {
	w.t.Helper()
	w.t.Chdir(w.dir) // where the scripted model thinks that the agent is
	script := agentScript{"Rename Total": edits, "Mention it": {
		{Read: "made.txt"},
		{Edit: "made.txt", Old: "done\n", New: "done, all of it\n"},
		{Say: "It is mentioned."},
	}}
	server := modeltest.NewOf(func(ask modeltest.Request) modeltest.Reply { return script.reply(ask, w.of.call) })
	base, err := server.Start()
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(server.Close)
	at, err := url.Parse(base)
	if err != nil {
		w.t.Fatal(err)
	}
	base = strings.TrimSuffix(base, "/v1")
	var state, names []string
	for file, text := range w.of.files {
		w.write(filepath.Join(w.home, filepath.FromSlash(file)), strings.ReplaceAll(text, "{base}", base))
		state = append(state, "~/"+strings.SplitN(file, "/", 2)[0])
	}
	if state == nil && w.keep != nil {
		state = []string{"~/" + strings.Split(w.keep[0], "/")[1]}
	}
	for _, value := range w.of.env {
		name, _, _ := strings.Cut(value, "=")
		names = append(names, name)
		w.env = append(w.env, strings.ReplaceAll(value, "{base}", base))
	}
	w.settings(fmt.Sprintf("[trials]\nmode = \"on\"\n%s\nstate = %s\nkeep = %s\nenv = %s\nnetwork = [%q]\n",
		w.table, tomlList(state), tomlList(w.keep), tomlList(names), at.Host))
	w.write(filepath.Join(w.dir, "prices.go"), beforeWork)
	w.write(filepath.Join(w.dir, "old", "gone.txt"), "old\n")
	return server
}

// does has the agent of this name make its plan, and returns what redline run prints.
func (w *agentAtWork) does(name string, flags ...string) string {
	w.t.Helper()
	w.by = name
	status, out := w.redline(append([]string{"run", "--plan-only", "--with", name, "--allow-outside", "Rename Total to Sum"}, flags...)...)
	if status != exitWaiting || w.onDisk("prices.go") != beforeWork {
		w.t.Fatalf("exit status %d\n%s", status, out)
	}
	if p := w.planHas(changedByWork); p.By != name {
		w.t.Errorf("it is by %q", p.By)
	}
	return out
}

// isReworked has the agent rework its plan, and approves that.
func (w *agentAtWork) isReworked() {
	w.t.Helper()
	if status, out := w.redline("plans", "rework", "1", "Mention it"); status != exitWaiting {
		w.t.Fatalf("reworking: exit status %d\n%s", status, out)
	}
	if p := w.planHas(changedByWork); p.By != w.by || p.Revision != 2 || !strings.Contains(p.Description, "It is mentioned.") {
		w.t.Errorf("revision %d is by %q: %s", p.Revision, p.By, p.Description)
	}
	if status, out := w.redline("plans", "approve", "1"); status != exitOK {
		w.t.Fatalf("approving: exit status %d\n%s", status, out)
	}
	if got, want := w.onDisk("prices.go"), strings.Replace(beforeWork, beforeEdit, afterEdit, 1); got != want || w.onDisk("made.txt") != "done, all of it\n" {
		w.t.Errorf("after the approval there is\n%s", w.files(w.dir))
	}
	w.until("processes to end", func() []string { return w.processes() })
}

func tomlList(words []string) string {
	var quoted []string
	for _, w := range words {
		quoted = append(quoted, fmt.Sprintf("%q", w))
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}
