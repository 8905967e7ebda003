package turn_test

import (
	"strings"
	"testing"
	"time"

	"redline/agent"
	"redline/agent/agenttest"
	"redline/agent/conversation"
	"redline/agent/loop"
	"redline/agent/model"
	"redline/agent/state"
	"redline/agent/view"
)

// Every limit ends a turn, keeps what was staged as a plan, and names itself: in a turn with tools,
// and where specialists work.
func TestEachLimitKeepsTheDraftAndSaysWhy(t *testing.T) {
	staged := agenttest.Reply{Calls: []model.Call{agenttest.Edit("a.txt", "one", "1")}}
	again := agenttest.Reply{Calls: []model.Call{agenttest.Call("read_file", map[string]any{"path": "nope"})}}
	never := agenttest.Reply{Wait: make(chan struct{})}
	other := agenttest.Reply{Calls: []model.Call{agenttest.Call("edit_file", map[string]any{"path": "a.txt", "old_string": "two", "new_string": "2", "step": "s2"})}}
	for _, c := range []struct {
		name                string
		limits, specialists loop.Limits // the planner's request counts too
		replies             []agenttest.Reply
		why                 string
	}{
		{"requests", loop.Limits{Requests: 1}, loop.Limits{Requests: 2}, []agenttest.Reply{staged, again}, "requests to the model, the limit for one turn; what was staged until then is kept"},
		{"tokens", loop.Limits{Tokens: 15}, loop.Limits{Tokens: 30}, []agenttest.Reply{staged, again}, "tokens, over the limit of"},
		{"wall time", loop.Limits{Wall: 2 * time.Second}, loop.Limits{Wall: 2 * time.Second}, []agenttest.Reply{staged, never}, "after 2s, the limit for one turn"},
		{"the same call", loop.Limits{}, loop.Limits{}, []agenttest.Reply{staged, again, again, again, staged}, "made the same call of read_file 3 times"},
		{"steps", loop.Limits{Steps: 1}, loop.Limits{}, []agenttest.Reply{staged, other, staged}, "more than 1 steps"},
	} {
		t.Run("tools/"+c.name, func(t *testing.T) {
			t.Parallel()
			s := agenttest.New(t, map[string]string{"a.txt": "one\ntwo\n"})
			s.With(func(o *agent.Options) { o.Turns.Limits = c.limits })
			s.Model.Will(c.replies...)
			wantLimited(s, s.Say(conversation.Message{Text: "figures"}), c.why)
		})
		if c.name == "steps" {
			continue // each specialist is one: see below
		}
		t.Run("specialists/"+c.name, func(t *testing.T) {
			t.Parallel()
			s, cast := agenttest.Specialists(t, map[string]string{"a.txt": "one\ntwo\n"}, func(o *agent.Options) { o.Turns.Limits = c.specialists })
			cast.Plans(`["code","docs"]`, "figures")
			cast.Part("code").Will(c.replies...)
			wantLimited(s, s.AskSpecialists("figures"), c.why)
			if len(cast.Part("docs").Asked()) > 0 {
				t.Error("the next specialist worked all the same")
			}
		})
	}
}

func wantLimited(s *agenttest.Session, turn state.Turn, why string) {
	s.T.Helper()
	if turn.State != "done" || !strings.Contains(agenttest.Answer(turn), why) {
		s.T.Errorf("the turn is %s and says %q, want %q", turn.State, agenttest.Answer(turn), why)
	}
	p := s.PlanNow(1)
	if len(p.Operations) == 0 || p.State != "awaiting_approval" {
		s.T.Fatalf("the plan is %s with %d operations", p.State, len(p.Operations))
	}
	s.WantFile("a.txt", "one\ntwo\n")
	s.MustApprove(view.Request{Plan: 1, Hash: p.Hash})
}

// There are no more specialists than a plan may have steps, and the plan says so.
func TestSpecialistsAreSteps(t *testing.T) {
	s, c := agenttest.Specialists(t, map[string]string{"a.txt": "one\ntwo\n"}, func(o *agent.Options) { o.Turns.Limits = loop.Limits{Steps: 1} })
	c.Plans(`["code","docs"]`, "figures")
	c.Stages("code", "Code is done.", agenttest.Edit("a.txt", "one", "1"))
	turn := s.AskSpecialists("figures")
	if notes := strings.Join(turn.Specialists.Notes, " "); len(turn.Specialists.Specialists) != 1 || !strings.Contains(notes, "the limit of steps") {
		t.Errorf("specialists: %+v", turn.Specialists)
	}
	if p := s.PlanNow(1); len(p.Steps) != 1 || len(c.Part("docs").Asked()) > 0 {
		t.Errorf("the plan has the steps %+v", p.Steps)
	}
}

// The same mistake of specialists that work at the same time, or one after another, counts for the
// turn.
func TestTheSameCallOfSeveralSpecialists(t *testing.T) {
	s, c := agenttest.Specialists(t, map[string]string{"a.txt": "one\ntwo\n"})
	c.Plans(`[{"parallel":["code","docs"]},"tests"]`, "figures")
	wrong := agenttest.Reply{Calls: []model.Call{agenttest.Edit("a.txt", "nothing like it", "1")}}
	c.Part("code").Will(agenttest.Reply{Calls: []model.Call{agenttest.Edit("a.txt", "one", "1")}}, wrong, agenttest.Reply{Text: "Code is done."})
	c.Part("docs").Will(wrong, agenttest.Reply{Text: "Docs are done."})
	c.Part("tests").Will(wrong, agenttest.Reply{Text: "More."})
	turn := s.AskSpecialists("figures")
	if !strings.Contains(agenttest.Answer(turn), "made the same call of edit_file 3 times") {
		t.Errorf("the turn says %q", agenttest.Answer(turn))
	}
	if p := s.PlanNow(1); len(p.Operations) != 1 {
		t.Errorf("the plan has %+v", p.Operations)
	}
}
