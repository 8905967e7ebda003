package agent_test

import (
	"strings"
	"testing"
	"time"

	"redline/agent"
	"redline/agent/conversation"
	"redline/agent/loop"
	"redline/agent/model"
	"redline/agent/state"
	"redline/agent/turn"
	"redline/agent/view"
)

// Every limit ends a turn, keeps what was staged as a plan, and names itself: in a turn with tools,
// and where specialists work.
func TestEachLimitKeepsTheDraftAndSaysWhy(t *testing.T) {
	staged := reply{calls: []model.Call{edit("a.txt", "one", "1")}}
	again := reply{calls: []model.Call{call("read_file", map[string]any{"path": "nope"})}}
	never := reply{wait: make(chan struct{})}
	other := reply{calls: []model.Call{call("edit_file", map[string]any{"path": "a.txt", "old_string": "two", "new_string": "2", "step": "s2"})}}
	for _, c := range []struct {
		name                string
		limits, specialists loop.Limits // the planner's request counts too
		replies             []reply
		why                 string
	}{
		{"requests", loop.Limits{Requests: 1}, loop.Limits{Requests: 2}, []reply{staged, again}, "requests to the model, the limit for one turn; what was staged until then is kept"},
		{"tokens", loop.Limits{Tokens: 15}, loop.Limits{Tokens: 30}, []reply{staged, again}, "tokens, over the limit of"},
		{"wall time", loop.Limits{Wall: 2 * time.Second}, loop.Limits{Wall: 2 * time.Second}, []reply{staged, never}, "after 2s, the limit for one turn"},
		{"the same call", loop.Limits{}, loop.Limits{}, []reply{staged, again, again, again, staged}, "made the same call of read_file 3 times"},
		{"steps", loop.Limits{Steps: 1}, loop.Limits{}, []reply{staged, other, staged}, "more than 1 steps"},
	} {
		t.Run("tools/"+c.name, func(t *testing.T) {
			t.Parallel()
			s := newSession(t, map[string]string{"a.txt": "one\ntwo\n"})
			s.agent.Close()
			s.agent = agent.New(agent.Options{Workspace: s.ws, Store: s.store, Model: s.model, Turns: turn.Options{Limits: c.limits}})
			s.agent.Session.Attach(s.ed)
			t.Cleanup(s.agent.Close)
			s.model.will(c.replies...)
			s.wantLimited(s.say(conversation.Message{Text: "figures"}), c.why)
		})
		if c.name == "steps" {
			continue // each specialist is one: see below
		}
		t.Run("specialists/"+c.name, func(t *testing.T) {
			t.Parallel()
			s, cast := specialistSession(t, map[string]string{"a.txt": "one\ntwo\n"}, func(o *agent.Options) { o.Turns.Limits = c.specialists })
			cast.plans(`["code","docs"]`, "figures")
			cast.part("code").will(c.replies...)
			s.wantLimited(s.specialists("figures"), c.why)
			if len(cast.part("docs").asked) > 0 {
				t.Error("the next specialist worked all the same")
			}
		})
	}
}

func (s *session) wantLimited(turn state.Turn, why string) {
	s.t.Helper()
	if turn.State != "done" || !strings.Contains(answerOf(turn), why) {
		s.t.Errorf("the turn is %s and says %q, want %q", turn.State, answerOf(turn), why)
	}
	p := s.state1(1)
	if len(p.Operations) == 0 || p.State != "awaiting_approval" {
		s.t.Fatalf("the plan is %s with %d operations", p.State, len(p.Operations))
	}
	s.wantFile("a.txt", "one\ntwo\n")
	s.approve(view.Request{Plan: 1, Hash: p.Hash})
}

// There are no more specialists than a plan may have steps, and the plan says so.
func TestSpecialistsAreSteps(t *testing.T) {
	s, c := specialistSession(t, map[string]string{"a.txt": "one\ntwo\n"}, func(o *agent.Options) { o.Turns.Limits = loop.Limits{Steps: 1} })
	c.plans(`["code","docs"]`, "figures")
	c.stages("code", "Code is done.", edit("a.txt", "one", "1"))
	turn := s.specialists("figures")
	if notes := strings.Join(turn.Specialists.Notes, " "); len(turn.Specialists.Specialists) != 1 || !strings.Contains(notes, "the limit of steps") {
		t.Errorf("specialists: %+v", turn.Specialists)
	}
	if p := s.state1(1); len(p.Steps) != 1 || len(c.part("docs").asked) > 0 {
		t.Errorf("the plan has the steps %+v", p.Steps)
	}
}

// The same mistake of specialists that work at the same time, or one after another, counts for the
// turn.
func TestTheSameCallOfSeveralSpecialists(t *testing.T) {
	s, c := specialistSession(t, map[string]string{"a.txt": "one\ntwo\n"})
	c.plans(`[{"parallel":["code","docs"]},"tests"]`, "figures")
	wrong := reply{calls: []model.Call{edit("a.txt", "nothing like it", "1")}}
	c.part("code").will(reply{calls: []model.Call{edit("a.txt", "one", "1")}}, wrong, reply{text: "Code is done."})
	c.part("docs").will(wrong, reply{text: "Docs are done."})
	c.part("tests").will(wrong, reply{text: "More."})
	turn := s.specialists("figures")
	if !strings.Contains(answerOf(turn), "made the same call of edit_file 3 times") {
		t.Errorf("the turn says %q", answerOf(turn))
	}
	if p := s.state1(1); len(p.Operations) != 1 {
		t.Errorf("the plan has %+v", p.Operations)
	}
}
