package turn_test

import (
	"fmt"
	"strings"
	"testing"

	"redline/agent/agenttest"
	"redline/agent/conversation"
	"redline/agent/decide/decidetest"
	"redline/agent/model"
	"redline/agent/view"
	"redline/workspace/runner"
)

// A request to rework a plan says each thing once: the description, which is the last answer, and
// the lines that the user rejected.
func TestReworkSaysThingsOnce(t *testing.T) {
	s := agenttest.New(t, agenttest.Numbers)
	answer := "The files have figures now, not words. " + strings.Repeat("That is shorter to read. ", 10)
	s.Model.Will(agenttest.Reply{Calls: []model.Call{agenttest.Edit("a.txt", "one", "the figure 1"), agenttest.Edit("b.txt", "two", "2")}}, agenttest.Reply{Text: answer}, agenttest.Reply{Text: "Nothing to do."})
	s.Plan("use figures")
	if _, err := s.Agent.Reject(s.Context(), view.Request{Plan: 1, Hash: s.PlanNow(1).Hash, Hunks: []string{"h1"}, Reason: "I like words"}); err != nil {
		t.Fatal(err)
	}
	s.Say(conversation.Message{Text: "and the rest?", Client: "test"})
	var all strings.Builder
	for _, m := range s.LastRequest().Messages {
		all.WriteString(m.Content + "\n")
	}
	for text, want := range map[string]int{
		"The files have figures now, not words. That is shorter to read. That": 1,
		"described in your answer above":                                       1, "the figure 1": 1, "+2": 1, "s1:": 0, "o2: edit_file b.txt": 1,
	} {
		if n := strings.Count(all.String(), text); n != want {
			t.Errorf("%q is there %d times, want %d, in\n%s", text, n, want, all.String())
		}
	}
}

// The output of a failed trial is in the request that is to fix it, and not in those after it.
func TestOutputOfATrialIsSaidOnce(t *testing.T) {
	s := agenttest.New(t, agenttest.Numbers)
	s.Trials = agenttest.FakeRuns(func(runner.Command, func(runner.Stream, string)) runner.Outcome {
		return runner.Outcome{End: runner.Exited, ExitCode: 1, Output: "a.txt:1: no figure\n"}
	})
	s.Restart()
	s.Model.Will(agenttest.Reply{Calls: []model.Call{agenttest.Edit("a.txt", "one", "I"), agenttest.Try("check")}}, agenttest.Reply{Text: "Done."}, agenttest.Reply{Text: "It cannot be fixed."}, agenttest.Reply{Text: "Nothing."})
	s.Plan("use figures")
	said := func() string {
		var all strings.Builder
		for _, m := range s.LastRequest().Messages {
			all.WriteString(m.Content + "\n")
		}
		return all.String()
	}
	id, _, err := s.Agent.Turns.Mend(s.Context(), 1, "", "", "test")
	if err != nil {
		t.Fatal(err)
	}
	s.Wait(id)
	if text := said(); strings.Count(text, "no figure") != 1 {
		t.Errorf("the output is not there once:\n%s", text)
	}
	if id, _, err = s.Agent.Turns.Rework(s.Context(), 1, "then use words", "test"); err != nil {
		t.Fatal(err)
	}
	s.Wait(id)
	if text := said(); strings.Contains(text, "no figure") || !strings.Contains(text, "Fix what makes `check` fail: tried on what the plan proposes, it ") {
		t.Errorf("the next request has the output, or not what was asked:\n%s", text)
	}
}

func TestWhatFailedIsReworked(t *testing.T) {
	s := agenttest.New(t, map[string]string{"a.txt": "one\n"})
	s.Model.Stages(agenttest.Command("echo the reason; exit 3"), agenttest.Command("true"))
	s.Plan("figures")
	s.Allow(view.Request{Plan: 1})
	s.WantCommands(1, "failed", "o1:failed:3 o2:skipped")
	p := s.Rework(agenttest.Edit("a.txt", "one", "1"))
	if got := decidetest.Commands(p); p.State != "awaiting_approval" || got != "o1:pending o2:pending" {
		t.Errorf("%s, %s", p.State, got)
	}
	asked := fmt.Sprintf("%+v", s.Model.Asked()[len(s.Model.Asked())-2]) // the one that led to the new revision
	if !strings.Contains(asked, "exit code 3") || !strings.Contains(asked, "the reason") {
		t.Errorf("the model is not told what came of it: %s", asked)
	}
}
