package turn_test

import (
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"redline/agent/agenttest"
	"redline/agent/conversation"
	"redline/agent/turn"
	"redline/workspace/runner"
	"redline/workspace/world"
)

// What an outside agent, or an adopted command, had done when a limit stopped it is a plan that says so, and is
// unfinished.
func TestWhatALimitStopsInACopyIsAPlan(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("copies need Linux or macOS: run it there")
	}
	for _, c := range []struct {
		end         runner.End
		agent, line string
	}{
		{runner.TimedOut, "codex was stopped after 1s: unfinished. Raise timeout_seconds of [outside.codex] to give it more time.", "`make` was stopped after 60 min: unfinished."},
		{runner.OutOfMemory, "codex was stopped, because it used more memory than memory_mb of [outside.codex] allows: unfinished.", "`make` was stopped, because it used more memory than trials.memory_mb allows: unfinished."},
		{runner.Overfull, "codex was stopped, because it wrote more than trials.disk_mb allows: unfinished, and files may be cut off.", "`make` was stopped, because it wrote more than trials.disk_mb allows: unfinished, and files may be cut off."},
	} {
		s := agenttest.New(t, map[string]string{"a.txt": "one\n"})
		s.OutsideAgent(agenttest.FakeRuns(func(command runner.Command, _ func(runner.Stream, string)) runner.Outcome {
			o := agenttest.Leaves(command, world.Entry{Path: []byte(filepath.Join(command.Dir, "a.txt")), Kind: world.FileEntry, Mode: 0o644, Text: []byte("one\ntwo\n")})
			o.End, o.ExitCode = c.end, -1
			return o
		}))
		wants := func(n int, unfinished []string, why string) {
			t.Helper()
			p := s.PlanNow(n)
			if len(unfinished) != 1 || unfinished[0] != why || len(p.Unfinished) != 1 || p.Unfinished[0] != why || !strings.Contains(p.Description, why) {
				t.Errorf("%s: the turn has left undone %q, the plan %q and says %q", c.end, unfinished, p.Unfinished, p.Description)
			}
			if len(p.Files) != 1 {
				t.Errorf("%s: the plan has %d files", c.end, len(p.Files))
			}
		}
		wants(1, s.Say(conversation.Message{Text: "more", With: "codex", Client: "test"}).Unfinished, c.agent)
		wants(2, s.Wait(s.Agent.Turns.Adopt(turn.Adoption{Line: "make", Client: "test"})).Unfinished, c.line)
	}
}
