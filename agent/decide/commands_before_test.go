package decide_test

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"redline/agent/agenttest"
	"redline/agent/commands"
	"redline/agent/conversation"
	"redline/agent/decide"
	"redline/agent/model"
	"redline/agent/plan"
	"redline/agent/state"
	"redline/agent/trial"
	"redline/agent/view"
	"redline/workspace/runner"
)

// comparingSession is a session in which every approved command fails with an output, and trials
// have the result of tried.
func comparingSession(t *testing.T, files map[string]string, failed string, tried func(c runner.Command) runner.Outcome) *agenttest.Session {
	t.Helper()
	s := agenttest.New(t, files)
	s.Commands = decide.ExecutorOptions{Run: func(context.Context, runner.Command, func(runner.Stream, string)) (runner.Outcome, error) {
		return runner.Outcome{End: runner.Exited, ExitCode: 1, Output: failed}, nil
	}}
	s.Trials = agenttest.FakeRuns(func(c runner.Command, _ func(runner.Stream, string)) runner.Outcome { return tried(c) })
	s.Restart()
	return s
}

// A failed command is run once more, in a world that has each file as it was before the plan: also
// what an earlier revision has changed, and without the texts that nobody has saved.
func TestFilesWithoutThePlan(t *testing.T) {
	create := func(path string) model.Call {
		return agenttest.Call("write_file", map[string]any{"path": path, "content": "new\n"})
	}
	gone := agenttest.Call("delete_file", map[string]any{"path": "b.txt"})
	moved := agenttest.Call("rename_file", map[string]any{"path": "c.txt", "new_path": "sub/d.txt"})
	for name, c := range map[string]struct {
		first  []model.Call // the first revision; only its paths are approved
		paths  []string
		second []model.Call
		want   []string
	}{
		"an edit":             {nil, nil, []model.Call{agenttest.Edit("a.txt", "one", "1")}, []string{"a.txt one\nmore\n"}},
		"all kinds":           {nil, nil, []model.Call{agenttest.Edit("a.txt", "one", "1"), create("n.txt"), gone, moved, agenttest.Edit("sub/d.txt", "three", "3")}, []string{"n.txt gone", "sub/d.txt gone", "a.txt one\nmore\n", "b.txt two\n", "c.txt three\n"}},
		"an earlier revision": {[]model.Call{agenttest.Edit("a.txt", "one", "1"), gone, create("n.txt")}, []string{"a.txt", "b.txt"}, []model.Call{agenttest.Edit("a.txt", "more", "and")}, []string{"n.txt gone", "a.txt one\nmore\n", "b.txt two\n"}},
		"a move before":       {[]model.Call{moved, create("n.txt")}, []string{"c.txt"}, []model.Call{agenttest.Edit("a.txt", "one", "1")}, []string{"n.txt gone", "sub/d.txt gone", "a.txt one\nmore\n", "c.txt three\n"}},
	} {
		t.Run(name, func(t *testing.T) {
			var had []string
			s := comparingSession(t, map[string]string{"a.txt": "one\nmore\n", "b.txt": "two\n", "c.txt": "three\n", "notes.txt": "saved\n"}, "", func(c runner.Command) runner.Outcome {
				for _, change := range c.World.Changes {
					rel, _ := filepath.Rel(c.World.Folders[0], change.Path)
					text := filepath.ToSlash(rel) + " " + string(change.Text)
					if change.Gone {
						text = filepath.ToSlash(rel) + " gone"
					}
					had = append(had, text)
				}
				return runner.Outcome{End: runner.Exited, ExitCode: 1}
			})
			s.Open("notes.txt")
			s.TypeAt("notes.txt", "saved", "typed ")
			c.second = append(c.second, agenttest.Command("check"))
			if c.first == nil {
				s.Model.Stages(c.second...)
				s.Plan("figures")
			} else {
				s.Model.Stages(c.first...)
				s.Plan("figures")
				s.MustApprove(view.Request{Plan: 1, Paths: c.paths})
				s.Rework(c.second...)
			}
			s.Allow(view.Request{Plan: 1})
			if fmt.Sprint(had) != fmt.Sprint(c.want) {
				t.Errorf("it ran on %q, want %q", had, c.want)
			}
			if p := s.PlanNow(1); p.State != "completed" || p.Commands[0].Verdict != "fails_as_before" {
				t.Errorf("the plan is %s with %+v", p.State, p.Commands)
			}
		})
	}
}

// Where trials are not allowed, or a change cannot be undone, nothing runs again, and a failure is a
// failure.
func TestWhereFailuresAreNotCompared(t *testing.T) {
	for name, c := range map[string]struct {
		set  func(s *agenttest.Session)
		plan []model.Call
		at   func(s *agenttest.Session) // before the command runs
		want string
		ran  int
	}{
		"trials are off":         {set: func(s *agenttest.Session) { s.Trials.Mode = trial.Off }, want: "failed"},
		"nobody has allowed it":  {set: func(s *agenttest.Session) { s.Trials.Mode = trial.Ask }, want: "failed"},
		"a rule denies trials":   {set: func(s *agenttest.Session) { s.Trials.Rules, _ = commands.New(nil, []commands.Rule{{Command: "check"}}) }, want: "failed"},
		"nothing is applied":     {plan: []model.Call{agenttest.Command("check")}, want: "failed"},
		"another command ran":    {plan: []model.Call{agenttest.Edit("a.txt", "one", "1"), agenttest.Command("make"), agenttest.Command("check")}, want: "failed"},
		"a change was edited":    {at: func(s *agenttest.Session) { s.Write("a.txt", "1 or so\n") }, want: "failed"},
		"it is compared":         {want: "completed", ran: 1},
		"the change was undone ": {at: func(s *agenttest.Session) { s.Write("a.txt", "one\n") }, want: "completed", ran: 1},
	} {
		t.Run(name, func(t *testing.T) {
			ran := 0
			s := comparingSession(t, map[string]string{"a.txt": "one\n"}, "no luck\n", func(runner.Command) runner.Outcome {
				ran++
				return runner.Outcome{End: runner.Exited, ExitCode: 1, Output: "no luck\n"}
			})
			run := s.Commands.Run
			s.Commands.Run = func(ctx context.Context, r runner.Command, tell func(runner.Stream, string)) (runner.Outcome, error) {
				if c.at != nil {
					c.at(s)
				}
				if r.Line == "make" {
					return runner.Outcome{End: runner.Exited}, nil
				}
				return run(ctx, r, tell)
			}
			if c.set != nil {
				c.set(s)
			}
			s.Restart()
			calls := c.plan
			if calls == nil {
				calls = []model.Call{agenttest.Edit("a.txt", "one", "1"), agenttest.Command("check")}
			}
			s.Model.Stages(calls...)
			s.Plan("figures")
			s.Allow(view.Request{Plan: 1})
			if p := s.PlanNow(1); p.State != c.want || ran != c.ran {
				t.Errorf("the plan is %s, and it ran %d times, want %s and %d", p.State, ran, c.want, c.ran)
			}
		})
	}
}

// A rework does not ask the model to fix what fails without the plan too, and tells it which failures
// those are.
func TestReworkOfAFailureThatWasThereBefore(t *testing.T) {
	for _, was := range []int{1, 0} {
		s := comparingSession(t, map[string]string{"a.txt": "one\n"}, "no luck\n", func(runner.Command) runner.Outcome {
			return runner.Outcome{End: runner.Exited, ExitCode: was, Output: "no luck\n"}
		})
		s.Model.Stages(agenttest.Edit("a.txt", "one", "1"), agenttest.Command("check"), agenttest.Command("after"))
		talk := s.Plan("figures").Conversation
		s.Allow(view.Request{Plan: 1})
		_, _, err := s.Agent.Turns.Mend(s.Context(), 1, "", "", "test")
		if was == 1 && agenttest.RefusedAs(err) != plan.Invalid || was == 0 && err != nil {
			t.Errorf("without the plan exit code %d: %v", was, err)
		}
		if was == 0 {
			continue
		}
		s.Model.Will(agenttest.Reply{Text: "Well."})
		s.Say(conversation.Message{Text: "and now?", Client: "test", Conversation: talk, Mode: "ask"})
		if told := s.UserMessages(); !strings.Contains(told, `Failed: the command "check", exit code 1 (failed, as it does without this plan).`) {
			t.Errorf("the model was told\n%s", told)
		}
	}
}

// The client gets the plan as completed with the event of the turn, and no trial for it.
func TestEventsOfAFailureThatWasThereBefore(t *testing.T) {
	s := comparingSession(t, map[string]string{"a.txt": "one\n"}, "no luck\n", func(runner.Command) runner.Outcome {
		return runner.Outcome{End: runner.Exited, ExitCode: 1, Output: "no luck\n"}
	})
	s.Model.Stages(agenttest.Edit("a.txt", "one", "1"), agenttest.Command("check"))
	s.Plan("figures")
	s.Allow(view.Request{Plan: 1})
	states := map[string]bool{}
	for _, e := range s.Editor.Events(state.PlanChanged) {
		states[e.Plan.State] = true
	}
	if states["failed"] || !states["completed"] {
		t.Errorf("the client got the states %v", slices.Sorted(maps.Keys(states)))
	}
	if got := s.Editor.Events(state.TrialRan); len(got) > 0 || len(s.PlanNow(1).Trials) > 0 {
		t.Errorf("it got %d events of trials", len(got))
	}
}
