package agent_test

import (
	"context"
	"strings"
	"testing"

	"redline/agent/decide"
	"redline/agent/view"
)

// fresh returns a session of another process on the same files and store, which does not check the
// plans when it starts, like the command line.
func (s *session) fresh() *session {
	other := &session{t: s.t, dir: s.dir, state: s.state, model: s.model, now: s.now}
	other.start()
	return other
}

// die ends the session as kill -9 would: only what it has stored is left.
func (s *session) die() {
	s.agent.Close()
	s.store.Close()
}

// The next command shows the true state of a plan after its process was killed, without a server:
// what was made is applied, the rest is pending and can be decided on.
func TestAPlanOfADeadProcessIsToldAsItIs(t *testing.T) {
	ask := map[string]func(s *session) string{
		"list": func(s *session) string {
			state, err := s.agent.State(s.ctx(), true)
			s.must(err)
			return state.Plans[0].State
		},
		"state": func(s *session) string {
			state, err := s.agent.State(s.ctx(), false)
			s.must(err)
			return state.Plans[0].State
		},
		"show": func(s *session) string { return s.state1(1).State },
		"export": func(s *session) string {
			document, err := s.agent.Export(s.ctx(), 1)
			s.must(err)
			return string(document.State)
		},
	}
	for name, ask := range ask {
		for _, c := range []struct {
			what    string
			prepare func(s *session)
			want    string
		}{
			{"an approval that did not land", func(s *session) {
				p := renamed(s)
				s.ed.apply = unanswered
				s.approve(view.Request{Plan: 1, Hash: p.Hash})
			}, "awaiting_approval"},
			{"an approval that landed", func(s *session) {
				p := renamed(s)
				s.ed.apply = s.landsUnanswered
				s.approve(view.Request{Plan: 1, Hash: p.Hash})
			}, "completed"},
			{"an undo that landed", func(s *session) {
				p := renamed(s)
				s.approve(view.Request{Plan: 1, Hash: p.Hash})
				s.ed.apply = s.landsUnanswered
				_, err := s.agent.Undo(s.ctx(), view.Request{Plan: 1})
				s.must(err)
			}, "awaiting_approval"},
			{"an editor that did not save", func(s *session) {
				s.open("shop.go")
				p := renamed(s)
				s.ed.apply = s.inBuffer
				s.approve(view.Request{Plan: 1, Hash: p.Hash})
			}, "awaiting_approval"},
		} {
			t.Run(name+"/"+c.what, func(t *testing.T) {
				s := newSession(t, map[string]string{"shop.go": shop})
				c.prepare(s)
				s.die()
				other := s.fresh()
				if got := ask(other); got != c.want {
					t.Errorf("the plan is %s, want %s", got, c.want)
				}
				other.wantNothingUnfinished()
			})
		}
	}
}

// The plan of a process that has died can be rejected, reworked and staged again.
func TestAPlanOfADeadProcessCanBeDecided(t *testing.T) {
	for name, decide := range map[string]func(s *session) error{
		"reject": func(s *session) error {
			_, err := s.agent.Reject(s.ctx(), view.Request{Plan: 1})
			return err
		},
		"rework": func(s *session) error {
			s.model.stages(edit("shop.go", "a / 5", "a / 3"))
			_, _, err := s.agent.Turns.Rework(s.ctx(), 1, "by three", "test")
			return err
		},
		"stage": func(s *session) error {
			_, err := s.agent.Stage(s.ctx(), decide.Staging{Plan: 1, Clear: true})
			return err
		},
		"approve": func(s *session) error {
			_, err := s.agent.Approve(s.ctx(), view.Request{Plan: 1})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSession(t, map[string]string{"shop.go": shop})
			p := renamed(s)
			s.ed.apply = unanswered
			s.approve(view.Request{Plan: 1, Hash: p.Hash})
			s.die()
			if err := decide(s.fresh()); err != nil {
				t.Error(err)
			}
		})
	}
}

// A plan that another live process is executing stays as it is for all others.
func TestAPlanOfALiveProcessIsLeftToIt(t *testing.T) {
	s := newSession(t, map[string]string{"shop.go": shop})
	p := renamed(s)
	s.ed.apply = unanswered
	s.approve(view.Request{Plan: 1, Hash: p.Hash})
	other := s.fresh()
	if got := other.state1(1).State; got != "executing" {
		t.Errorf("the plan is %s", got)
	}
	state, err := other.agent.State(context.Background(), true)
	if err != nil || state.Plans[0].State != "executing" {
		t.Errorf("in the list it is %s (%v)", state.Plans[0].State, err)
	}
	if _, err := other.agent.Reject(s.ctx(), view.Request{Plan: 1}); err == nil || !strings.Contains(err.Error(), "Plan 1") {
		t.Errorf("rejecting: %v", err)
	}
	s.die()
	if got := other.state1(1).State; got != "awaiting_approval" { // the same session checks again
		t.Errorf("afterwards it is %s", got)
	}
}
