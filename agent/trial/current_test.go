package trial_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"redline/agent/agenttest"
	"redline/agent/model"
	"redline/agent/trial"
	"redline/agent/view"
	"redline/workspace/runner"
)

// A trial is of an earlier text as soon as the plan has something that it did not see, and stays so
// when all of it is on the disk: in the session that applied it, and in one that only reads it.
func TestTrialsStayOutOfDate(t *testing.T) {
	const current, earlier = "make: passed", "make: passed, of an earlier text"
	create := func(path string) model.Call {
		return agenttest.Call("write_file", map[string]any{"path": path, "content": "new\n"})
	}
	rename := agenttest.Call("rename_file", map[string]any{"path": "b.txt", "new_path": "c.txt"})
	tried := agenttest.Reply{Calls: []model.Call{agenttest.Try("make")}}
	type step struct {
		do   func(s *agenttest.Session)
		want string // the trial afterwards, "" for none
	}
	plan := func(replies ...agenttest.Reply) func(*agenttest.Session) {
		return func(s *agenttest.Session) {
			s.Model.Will(append(replies, agenttest.Reply{Text: "Done."})...)
			s.Plan("figures")
		}
	}
	staged := func(calls ...model.Call) agenttest.Reply { return agenttest.Reply{Calls: calls} }
	rework := func(replies ...agenttest.Reply) func(*agenttest.Session) {
		return func(s *agenttest.Session) {
			s.Model.Will(replies...)
			s.Rework()
		}
	}
	approve := func(paths ...string) func(*agenttest.Session) {
		return func(s *agenttest.Session) {
			if s.MustApprove(view.Request{Plan: 1, Paths: paths}); len(paths) == 0 && s.PlanNow(1).State != "completed" {
				s.T.Errorf("the plan is %s", s.PlanNow(1).State)
			}
		}
	}
	undo := func(paths ...string) func(*agenttest.Session) {
		return func(s *agenttest.Session) {
			if _, err := s.Agent.Undo(s.Context(), view.Request{Plan: 1, Paths: paths}); err != nil {
				s.T.Fatal(err)
			}
		}
	}
	user := func(s *agenttest.Session) {
		turn, err := s.Agent.Trials.Try(s.Context(), trial.Request{Plan: 1, Commands: []string{"make"}})
		if err != nil {
			s.T.Fatal(err)
		}
		s.Wait(turn)
	}
	write := func(name, text string) func(*agenttest.Session) {
		return func(s *agenttest.Session) { s.Write(name, text) }
	}
	one, two := agenttest.Edit("a.txt", "one", "1"), agenttest.Edit("b.txt", "two", "2")
	for name, steps := range map[string][]step{
		"a file is staged after it": {
			{plan(staged(one), tried), current}, {rework(staged(two)), earlier}, {approve(), earlier},
		},
		"a file is created after it": {
			{plan(staged(one), tried), current}, {rework(staged(create("n.txt"))), earlier}, {approve(), earlier},
		},
		"a file is deleted after it": {
			{plan(staged(one), tried), current}, {rework(staged(agenttest.Call("delete_file", map[string]any{"path": "b.txt"}))), earlier}, {approve(), earlier},
		},
		"a file is renamed after it": {
			{plan(staged(one), tried), current}, {rework(staged(rename)), earlier}, {approve(), earlier},
		},
		"it came before all": {{plan(tried, staged(one)), earlier}, {approve(), earlier}},
		"the parts are applied one by one": {
			{plan(staged(one), tried), current}, {rework(staged(two)), earlier}, {approve("b.txt"), earlier}, {approve(), earlier},
		},
		"the rest is rejected": {
			{plan(staged(one), tried), current}, {rework(staged(two)), earlier}, {approve("a.txt"), earlier},
			{func(s *agenttest.Session) {
				if _, err := s.Agent.Reject(s.Context(), view.Request{Plan: 1}); err != nil {
					s.T.Fatal(err)
				}
			}, current}, // which is what it ran on
		},
		"the model tries what is applied in part": {
			{plan(staged(one, two)), ""}, {approve("a.txt"), ""}, {rework(staged(create("n.txt")), tried), current}, {approve(), current},
		},
		"the model stages after it what is applied in part": {
			{plan(staged(one, two)), ""}, {approve("a.txt"), ""}, {rework(tried, staged(create("n.txt"))), earlier}, {approve(), earlier},
		},
		"what an earlier revision has applied is undone": {
			{plan(staged(one, two)), ""}, {approve("a.txt"), ""}, {rework(staged(agenttest.Edit("a.txt", "more", "and")), tried), current}, {approve("b.txt"), current}, {undo("a.txt"), earlier},
		},
		"the user tries what is applied": {
			{plan(staged(one, rename)), ""}, {approve(), ""}, {user, current}, {undo(), earlier},
		},
		"the user tries the rest": {
			{plan(staged(one, two)), ""}, {approve("a.txt"), ""}, {user, current}, {approve(), current}, {undo("a.txt"), earlier},
		},
		"the user changes what was applied": {
			{plan(staged(one, two)), ""}, {approve("a.txt"), ""}, {user, current}, {write("a.txt", "1\nless\n"), earlier}, {write("a.txt", "1\nmore\n"), current},
		},
		"the user makes the change by hand": {
			{plan(staged(one), tried), current}, {write("a.txt", "1\nmore\n"), current},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := agenttest.New(t, map[string]string{"a.txt": "one\nmore\n", "b.txt": "two\n"})
			s.Trials = agenttest.FakeRuns(func(runner.Command, func(runner.Stream, string)) runner.Outcome {
				return runner.Outcome{End: runner.Exited}
			})
			s.Restart()
			for i, step := range steps {
				step.do(s)
				for _, how := range []string{"", " after a restart"} {
					var got string
					if all := s.TrialsOf(1); len(all) > 0 {
						got = strings.TrimPrefix(all[0], "t1 ")
					}
					if got != step.want {
						t.Errorf("step %d%s: the trial is %q, want %q", i+1, how, got, step.want)
					}
					s.Restart()
				}
			}
		})
	}
}

// The preview of a plan, written again after its approval, says of a trial what the plan says.
func TestPreviewOfAnEarlierTrial(t *testing.T) {
	s := agenttest.New(t, map[string]string{"a.txt": "one\n", "b.txt": "two\n"})
	s.Trials = agenttest.FakeRuns(func(runner.Command, func(runner.Stream, string)) runner.Outcome {
		return runner.Outcome{End: runner.Exited}
	})
	s.Restart()
	s.Model.Will(agenttest.Reply{Calls: []model.Call{agenttest.Edit("a.txt", "one", "1")}}, agenttest.Reply{Calls: []model.Call{agenttest.Try("make")}}, agenttest.Reply{Text: "Done."})
	s.Plan("figures")
	p := s.Rework(agenttest.Edit("b.txt", "two", "2"))
	s.MustApprove(view.Request{Plan: 1, Hash: p.Hash})
	page, err := os.ReadFile(filepath.Join(s.Dir, fmt.Sprintf(".redline/plans/0001-r%d.md", p.Revision)))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), "`make`: passed, after 0.0 s, of an earlier text") {
		t.Errorf("the preview is\n%s", page)
	}
}
