package agent_test

import (
	"testing"

	"redline/agent/view"
)

// reworked creates the plan's second revision.
func (s *session) reworked() {
	s.t.Helper()
	s.model.stages(edit("a.txt", "five\n", "5\n"))
	id, _, err := s.agent.Turns.Rework(s.ctx(), 1, "five too", "test")
	if err != nil {
		s.t.Fatal(err)
	}
	s.wait(id)
	if got := s.state1(1).Revision; got != 2 {
		s.t.Fatalf("revision %d, want 2", got)
	}
}

const fiveLines = "one\ntwo\nthree\nfour\nfive\n"

// reworkedOnce returns a plan whose h1 is applied in revision 1 and h2 is pending; revision 2 has
// h2 and h3.
func reworkedOnce(s *session) {
	s.t.Helper()
	s.model.stages(edit("a.txt", "one\n", "1\n"), edit("a.txt", "three\n", "3\n"))
	p := s.plan("figures")
	s.approve(view.Request{Plan: 1, Hash: p.Hash, Hunks: []string{"h1"}})
	s.reworked()
}

func (s *session) wantEarlier(want string) {
	s.t.Helper()
	kept, err := s.store.Plan(s.ctx(), s.dir, 1)
	if err != nil {
		s.t.Fatal(err)
	}
	if got := string(kept.Progress.Hunk("h1").Status); got != want {
		s.t.Errorf("h1 of the earlier revision is %s, want %s", got, want)
	}
}

// If a buffer is discarded while a turn works on the plan, that is not forgotten: when the turn has
// ended, what an earlier revision applied in it is pending.
func TestABufferOfAnEarlierRevisionGoesDuringATurn(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": fiveLines})
	s.open("a.txt")
	s.ed.apply = s.inBuffer
	reworkedOnce(s)
	begun, wait := make(chan struct{}), make(chan struct{})
	s.model.will(reply{text: "There is nothing to do.", begun: begun, wait: wait})
	id, _, err := s.agent.Turns.Rework(s.ctx(), 1, "more", "test")
	if err != nil {
		t.Fatal(err)
	}
	<-begun
	s.ws.Close(s.ws.URI("a.txt"))
	for ctx := s.ctx(); !s.agent.PastLeft(1); { // the look that closing the buffer has started
		if ctx.Err() != nil {
			t.Fatal("nothing is left to be looked at")
		}
	}
	s.wantEarlier("applied")
	close(wait)
	s.wait(id)
	s.agent.LookOnDisk(s.ctx())
	s.wantEarlier("pending")
}
