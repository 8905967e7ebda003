package board_test

import (
	"context"
	"strings"
	"testing"

	"redline/agent/agenttest"
	"redline/agent/conversation"
	"redline/agent/decide"
	"redline/agent/decide/decidetest"
	"redline/agent/share"
	"redline/agent/store"
	"redline/agent/view"
	"redline/edits"
)

// The next command shows the true state of a plan after its process was killed, without a server:
// what was made is applied, the rest is pending and can be decided on.
func TestAPlanOfADeadProcessIsToldAsItIs(t *testing.T) {
	ask := map[string]func(s *agenttest.Session) string{
		"list": func(s *agenttest.Session) string {
			state, err := s.Agent.State(s.Context(), true)
			s.Must(err)
			return state.Plans[0].State
		},
		"state": func(s *agenttest.Session) string {
			state, err := s.Agent.State(s.Context(), false)
			s.Must(err)
			return state.Plans[0].State
		},
		"show": func(s *agenttest.Session) string { return s.PlanNow(1).State },
		"export": func(s *agenttest.Session) string {
			document, err := s.Agent.Export(s.Context(), 1, share.With{})
			s.Must(err)
			return string(document.State)
		},
	}
	for name, ask := range ask {
		for _, c := range []struct {
			what    string
			prepare func(s *agenttest.Session)
			want    string
		}{
			{"an approval that did not land", func(s *agenttest.Session) {
				p := s.PlanRename()
				s.Editor.OnApply = decidetest.Unanswered
				s.MustApprove(view.Request{Plan: 1, Hash: p.Hash})
			}, "awaiting_approval"},
			{"an approval that landed", func(s *agenttest.Session) {
				p := s.PlanRename()
				s.Editor.OnApply = s.LandsUnanswered
				s.MustApprove(view.Request{Plan: 1, Hash: p.Hash})
			}, "completed"},
			{"an undo that landed", func(s *agenttest.Session) {
				p := s.PlanRename()
				s.MustApprove(view.Request{Plan: 1, Hash: p.Hash})
				s.Editor.OnApply = s.LandsUnanswered
				_, err := s.Agent.Undo(s.Context(), view.Request{Plan: 1})
				s.Must(err)
			}, "awaiting_approval"},
			{"an editor that did not save", func(s *agenttest.Session) {
				s.Open("shop.go")
				p := s.PlanRename()
				s.Editor.OnApply = s.InBuffer
				s.MustApprove(view.Request{Plan: 1, Hash: p.Hash})
			}, "awaiting_approval"},
		} {
			t.Run(name+"/"+c.what, func(t *testing.T) {
				s := agenttest.New(t, map[string]string{"shop.go": decidetest.Shop})
				c.prepare(s)
				s.Die()
				other := s.Beside(s.Dir)
				if got := ask(other); got != c.want {
					t.Errorf("the plan is %s, want %s", got, c.want)
				}
				other.WantNothingUnfinished()
			})
		}
	}
}

// The plan of a process that has died can be rejected, reworked and staged again.
func TestAPlanOfADeadProcessCanBeDecided(t *testing.T) {
	for name, decide := range map[string]func(s *agenttest.Session) error{
		"reject": func(s *agenttest.Session) error {
			_, err := s.Agent.Reject(s.Context(), view.Request{Plan: 1})
			return err
		},
		"rework": func(s *agenttest.Session) error {
			s.Model.Stages(agenttest.Edit("shop.go", "a / 5", "a / 3"))
			_, _, err := s.Agent.Turns.Rework(s.Context(), 1, "by three", "test")
			return err
		},
		"stage": func(s *agenttest.Session) error {
			_, err := s.Agent.Stage(s.Context(), decide.Staging{Plan: 1, Clear: true})
			return err
		},
		"approve": func(s *agenttest.Session) error {
			_, err := s.Agent.Approve(s.Context(), view.Request{Plan: 1})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := agenttest.New(t, map[string]string{"shop.go": decidetest.Shop})
			p := s.PlanRename()
			s.Editor.OnApply = decidetest.Unanswered
			s.MustApprove(view.Request{Plan: 1, Hash: p.Hash})
			s.Die()
			if err := decide(s.Beside(s.Dir)); err != nil {
				t.Error(err)
			}
		})
	}
}

// A plan that another live process is executing stays as it is for all others.
func TestAPlanOfALiveProcessIsLeftToIt(t *testing.T) {
	s := agenttest.New(t, map[string]string{"shop.go": decidetest.Shop})
	p := s.PlanRename()
	s.Editor.OnApply = decidetest.Unanswered
	s.MustApprove(view.Request{Plan: 1, Hash: p.Hash})
	other := s.Beside(s.Dir)
	if got := other.PlanNow(1).State; got != "executing" {
		t.Errorf("the plan is %s", got)
	}
	state, err := other.Agent.State(context.Background(), true)
	if err != nil || state.Plans[0].State != "executing" {
		t.Errorf("in the list it is %s (%v)", state.Plans[0].State, err)
	}
	if _, err := other.Agent.Reject(s.Context(), view.Request{Plan: 1}); err == nil || !strings.Contains(err.Error(), "Plan 1") {
		t.Errorf("rejecting: %v", err)
	}
	s.Die()
	if got := other.PlanNow(1).State; got != "awaiting_approval" { // the same session checks again
		t.Errorf("afterwards it is %s", got)
	}
}

// A status that the text shows is stored even if the session ends at that moment.
func TestTheOutcomeSurvivesTheEndOfTheSession(t *testing.T) {
	s := agenttest.New(t, map[string]string{"shop.go": decidetest.Shop})
	p := s.PlanRename()
	s.Editor.OnApply = func(c edits.Change) (edits.Applied, bool) {
		go s.Agent.Close()
		for s.Agent.Cancel("") != nil { // until the root context is done: then a message is refused
			if _, _, err := s.Agent.Turns.Send(conversation.Message{Text: "are you there"}); err != nil {
				break
			}
		}
		next, err := edits.Apply(c.Base, c.Edits)
		if err != nil {
			t.Error(err)
		}
		s.Write("shop.go", next)
		return edits.Applied{Path: c.Path, Status: edits.Done, Text: next}, true
	}
	_, _ = s.Agent.Approve(context.Background(), view.Request{Plan: 1, Hash: p.Hash}) // its answer does not matter
	again := store.New(s.State)
	defer again.Close()
	kept, err := again.Plan(s.Context(), s.Dir, 1)
	if err != nil || kept.State != "completed" {
		t.Errorf("the store says %v, %v; want completed", kept.State, err)
	}
}
