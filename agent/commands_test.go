package agent_test

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"redline/agent/model"
	"redline/agent/state"
	"redline/agent/view"
	"redline/internal/leaktest"
	"redline/internal/ramtemp"
	"redline/workspace/runner"
)

func TestMain(m *testing.M) {
	if runner.IsHelper(os.Args) {
		syscall.Exit(runner.Help()) // without the pause of the race detector at the end of a process
	}
	os.Exit(leaktest.After(ramtemp.Around(m)).Run())
}

func command(line string, more ...any) model.Call {
	args := map[string]any{"command": line}
	for i := 0; i+1 < len(more); i += 2 {
		args[more[i].(string)] = more[i+1]
	}
	return call("run_command", args)
}

// commandsOf returns the states of a plan's commands: "o2:failed:1".
func commandsOf(p state.Plan) string {
	var out []string
	for _, c := range p.Commands {
		s := c.ID + ":" + c.Status
		if c.ExitCode != nil {
			s += fmt.Sprintf(":%d", *c.ExitCode)
		}
		out = append(out, s)
	}
	return strings.Join(out, " ")
}

func (s *session) wantCommands(n int, state, want string) {
	s.t.Helper()
	if p := s.state1(n); p.State != state || commandsOf(p) != want {
		s.t.Errorf("plan %d is %s with %s, want %s with %s", n, p.State, commandsOf(p), state, want)
	}
}

// allow approves a plan with its commands and waits until they have ended.
func (s *session) allow(d view.Request) state.Turn {
	s.t.Helper()
	d.AllowCommands = d.Operation == ""
	r := s.approve(d)
	if r.Turn == "" {
		s.t.Fatalf("no turn runs the commands: %+v", r)
	}
	return s.wait(r.Turn)
}

func TestWhatFailedIsReworked(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\n"})
	s.model.stages(command("echo the reason; exit 3"), command("true"))
	s.plan("figures")
	s.allow(view.Request{Plan: 1})
	s.wantCommands(1, "failed", "o1:failed:3 o2:skipped")
	p := s.rework(edit("a.txt", "one", "1"))
	if got := commandsOf(p); p.State != "awaiting_approval" || got != "o1:pending o2:pending" {
		t.Errorf("%s, %s", p.State, got)
	}
	s.model.mu.Lock()
	asked := fmt.Sprintf("%+v", s.model.asked[len(s.model.asked)-2]) // the one that led to the new revision
	s.model.mu.Unlock()
	if !strings.Contains(asked, "exit code 3") || !strings.Contains(asked, "the reason") {
		t.Errorf("the model is not told what came of it: %s", asked)
	}
}
