package agent_test

import (
	"strings"
	"testing"

	"redline/agent"
	"redline/agent/loop"
	"redline/agent/model"
	"redline/edits"
)

// limited has the session's turns end by limits.
func (s *session) limited(limits loop.Limits, change ...func(*agent.Options)) {
	s.agent.Close()
	o := agent.Options{Workspace: s.ws, Store: s.store, Model: s.model, Limits: limits}
	for _, f := range change {
		f(&o)
	}
	s.agent = agent.New(o)
	s.agent.Attach(s.ed)
	s.t.Cleanup(s.agent.Close)
}

// A turn that a limit has ended says so, and so does its plan: in the state, in the
// description, after a restart, when the user takes something out of it, and in another
// workspace.
func TestWhatATurnLeavesUndoneStaysWithThePlan(t *testing.T) {
	files := map[string]string{"a.txt": "one\ntwo\n"}
	s, there := newSession(t, files), newSession(t, files)
	s.limited(loop.Limits{Requests: 1})
	s.model.will(reply{calls: []model.Call{edit("a.txt", "one", "1"), edit("a.txt", "two", "2")}})
	const why = "The turn was ended after 1 requests to the model"
	turn := s.say(agent.Message{Text: "figures", Client: "test"})
	wantUndone := func(where string, unfinished []string) {
		t.Helper()
		if len(unfinished) != 1 || !strings.HasPrefix(unfinished[0], why) {
			t.Errorf("%s has left undone %q", where, unfinished)
		}
	}
	wantUndone("the turn", turn.Unfinished)
	for _, e := range s.events(agent.TurnFinished) {
		wantUndone("the event", e.Unfinished)
	}
	p := s.state1(1)
	wantUndone("the plan", p.Unfinished)
	if !strings.Contains(p.Description, why) || p.Refused != nil {
		t.Errorf("the plan says %q, refused %v", p.Description, p.Refused)
	}
	s.restart()
	wantUndone("the plan after a restart", s.state1(1).Unfinished)
	imported, err := there.agent.Import(there.ctx(), "plan.json", s.exported(1), edits.UTF16)
	if err != nil {
		t.Fatal(err)
	}
	wantUndone("the plan elsewhere", imported.Unfinished)
	less, err := s.agent.Stage(s.ctx(), agent.Staging{Plan: 1, Remove: []string{"o2"}}, edits.UTF16)
	if err != nil {
		t.Fatal(err)
	}
	wantUndone("the plan with less in it", less.Unfinished)

	// The next turn comes to its end.
	s.model.stages(edit("a.txt", "two", "II"))
	if next := s.say(agent.Message{Text: "and two", Conversation: p.Conversation, Client: "test"}); next.Unfinished != nil {
		t.Errorf("the next turn has left undone %q", next.Unfinished)
	}
	if p := s.state1(1); p.Revision != 3 || p.Unfinished != nil {
		t.Errorf("revision %d has left undone %q", p.Revision, p.Unfinished)
	}
}

// No rule of the user's approves what came of a turn that a limit has ended.
func TestNoRuleApprovesWhatIsUnfinished(t *testing.T) {
	for name, unfinished := range map[string]bool{"limited": true, "whole": false} {
		t.Run(name, func(t *testing.T) {
			s := newSession(t, map[string]string{"a.txt": "one\ntwo\n"})
			limits := loop.Limits{}
			if unfinished {
				limits.Requests = 1
			}
			s.limited(limits, func(o *agent.Options) { o.SecondLook = agent.SecondLookNever })
			s.model.will(reply{text: "I shall write figures into a.txt."})
			words := s.say(agent.Message{Text: "figures", Client: "test", Mode: "text"})
			p := s.state1(s.agent.PlanOf(words.Turn))
			s.model.will(reply{calls: []model.Call{edit("a.txt", "one", "1")}}, reply{text: "Done."})
			turn := s.wait(s.approve(agent.Decide{Plan: p.Plan, Hash: p.Hash}).Turn)
			if unfinished {
				if p := s.state1(1); p.State != "awaiting_approval" || turn.Unfinished == nil {
					t.Errorf("the plan is %s, left undone %q", p.State, turn.Unfinished)
				}
				s.wantFile("a.txt", "one\ntwo\n")
				return
			}
			s.wantFile("a.txt", "1\ntwo\n")
		})
	}
}
