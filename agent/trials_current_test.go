package agent_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

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
		return call("write_file", map[string]any{"path": path, "content": "new\n"})
	}
	rename := call("rename_file", map[string]any{"path": "b.txt", "new_path": "c.txt"})
	tried := reply{calls: []model.Call{try("make")}}
	type step struct {
		do   func(s *session)
		want string // the trial afterwards, "" for none
	}
	plan := func(replies ...reply) func(*session) {
		return func(s *session) {
			s.model.will(append(replies, reply{text: "Done."})...)
			s.plan("figures")
		}
	}
	staged := func(calls ...model.Call) reply { return reply{calls: calls} }
	rework := func(replies ...reply) func(*session) {
		return func(s *session) {
			s.model.will(replies...)
			s.rework()
		}
	}
	approve := func(paths ...string) func(*session) {
		return func(s *session) {
			if s.approve(view.Request{Plan: 1, Paths: paths}); len(paths) == 0 && s.state1(1).State != "completed" {
				s.t.Errorf("the plan is %s", s.state1(1).State)
			}
		}
	}
	undo := func(paths ...string) func(*session) {
		return func(s *session) {
			if _, err := s.agent.Undo(s.ctx(), view.Request{Plan: 1, Paths: paths}); err != nil {
				s.t.Fatal(err)
			}
		}
	}
	user := func(s *session) {
		turn, err := s.agent.Trials.Try(s.ctx(), trial.Request{Plan: 1, Commands: []string{"make"}})
		if err != nil {
			s.t.Fatal(err)
		}
		s.wait(turn)
	}
	write := func(name, text string) func(*session) {
		return func(s *session) { s.writeFile(name, text) }
	}
	one, two := edit("a.txt", "one", "1"), edit("b.txt", "two", "2")
	for name, steps := range map[string][]step{
		"a file is staged after it": {
			{plan(staged(one), tried), current}, {rework(staged(two)), earlier}, {approve(), earlier},
		},
		"a file is created after it": {
			{plan(staged(one), tried), current}, {rework(staged(create("n.txt"))), earlier}, {approve(), earlier},
		},
		"a file is deleted after it": {
			{plan(staged(one), tried), current}, {rework(staged(call("delete_file", map[string]any{"path": "b.txt"}))), earlier}, {approve(), earlier},
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
			{func(s *session) {
				if _, err := s.agent.Reject(s.ctx(), view.Request{Plan: 1}); err != nil {
					s.t.Fatal(err)
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
			{plan(staged(one, two)), ""}, {approve("a.txt"), ""}, {rework(staged(edit("a.txt", "more", "and")), tried), current}, {approve("b.txt"), current}, {undo("a.txt"), earlier},
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
			s := newSession(t, map[string]string{"a.txt": "one\nmore\n", "b.txt": "two\n"})
			s.trials = fakeRuns(func(runner.Command, func(runner.Stream, string)) runner.Outcome {
				return runner.Outcome{End: runner.Exited}
			})
			s.restart()
			for i, step := range steps {
				step.do(s)
				for _, how := range []string{"", " after a restart"} {
					var got string
					if all := s.trialsOf(1); len(all) > 0 {
						got = strings.TrimPrefix(all[0], "t1 ")
					}
					if got != step.want {
						t.Errorf("step %d%s: the trial is %q, want %q", i+1, how, got, step.want)
					}
					s.restart()
				}
			}
		})
	}
}

// The preview of a plan, written again after its approval, says of a trial what the plan says.
func TestPreviewOfAnEarlierTrial(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\n", "b.txt": "two\n"})
	s.trials = fakeRuns(func(runner.Command, func(runner.Stream, string)) runner.Outcome {
		return runner.Outcome{End: runner.Exited}
	})
	s.restart()
	s.model.will(reply{calls: []model.Call{edit("a.txt", "one", "1")}}, reply{calls: []model.Call{try("make")}}, reply{text: "Done."})
	s.plan("figures")
	p := s.rework(edit("b.txt", "two", "2"))
	s.approve(view.Request{Plan: 1, Hash: p.Hash})
	page, err := os.ReadFile(filepath.Join(s.dir, fmt.Sprintf(".redline/plans/0001-r%d.md", p.Revision)))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), "`make`: passed, after 0.0 s, of an earlier text") {
		t.Errorf("the preview is\n%s", page)
	}
}
