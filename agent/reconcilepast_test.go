package agent_test

import (
	"testing"

	"redline/agent/agenttest"
	"redline/agent/view"
)

const fiveLines = "one\ntwo\nthree\nfour\nfive\n"

// reworkedOnce returns a plan whose h1 is applied in revision 1 and h2 is pending; revision 2 has
// h2 and h3.
func reworkedOnce(s *agenttest.Session) {
	s.T.Helper()
	s.Model.Stages(agenttest.Edit("a.txt", "one\n", "1\n"), agenttest.Edit("a.txt", "three\n", "3\n"))
	p := s.Plan("figures")
	s.MustApprove(view.Request{Plan: 1, Hash: p.Hash, Hunks: []string{"h1"}})
	if got := s.Rework(agenttest.Edit("a.txt", "five\n", "5\n")).Revision; got != 2 {
		s.T.Fatalf("revision %d, want 2", got)
	}
}

func wantEarlier(s *agenttest.Session, want string) {
	s.T.Helper()
	kept, err := s.Store.Plan(s.Context(), s.Dir, 1)
	if err != nil {
		s.T.Fatal(err)
	}
	if got := string(kept.Progress.Hunk("h1").Status); got != want {
		s.T.Errorf("h1 of the earlier revision is %s, want %s", got, want)
	}
}

// If a buffer is discarded while a turn works on the plan, that is not forgotten: when the turn has
// ended, what an earlier revision applied in it is pending.
func TestABufferOfAnEarlierRevisionGoesDuringATurn(t *testing.T) {
	s := agenttest.New(t, map[string]string{"a.txt": fiveLines})
	s.Open("a.txt")
	s.Editor.OnApply = s.InBuffer
	reworkedOnce(s)
	begun, wait := make(chan struct{}), make(chan struct{})
	s.Model.Will(agenttest.Reply{Text: "There is nothing to do.", Begun: begun, Wait: wait})
	id, _, err := s.Agent.Turns.Rework(s.Context(), 1, "more", "test")
	if err != nil {
		t.Fatal(err)
	}
	<-begun
	s.Workspace.Close(s.Workspace.URI("a.txt"))
	for ctx := s.Context(); !s.Agent.Board.EarlierLeft(s.Agent.Board.Held(1)); { // the look that closing the buffer has started
		if ctx.Err() != nil {
			t.Fatal("nothing is left to be looked at")
		}
	}
	wantEarlier(s, "applied")
	close(wait)
	s.Wait(id)
	s.Agent.Board.Disk.Look(s.Context(), false)
	wantEarlier(s, "pending")
}
