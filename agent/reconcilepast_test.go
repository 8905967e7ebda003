package agent_test

import (
	"os"
	"path/filepath"
	"testing"

	"redline/agent/decision"
	"redline/agent/plan"
	"redline/agent/refusal"
	"redline/edits"
)

// reworked makes the plan's second revision.
func (s *session) reworked() {
	s.t.Helper()
	s.model.stages(edit("a.txt", "five\n", "5\n"))
	id, _, err := s.agent.Rework(s.ctx(), 1, "five too", "test")
	if err != nil {
		s.t.Fatal(err)
	}
	s.wait(id)
	if got := s.state1(1).Revision; got != 2 {
		s.t.Fatalf("revision %d, want 2", got)
	}
}

const fiveLines = "one\ntwo\nthree\nfour\nfive\n"

// reworkedOnce is a plan of which h1 is applied in revision 1 and h2 is pending;
// revision 2 has h2 and h3.
func reworkedOnce(s *session) {
	s.t.Helper()
	s.model.stages(edit("a.txt", "one\n", "1\n"), edit("a.txt", "three\n", "3\n"))
	p := s.plan("figures")
	s.approve(decision.Request{Plan: 1, Hash: p.Hash, Hunks: []string{"h1"}})
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

// An undo that was cut off is seen in the text also for what an earlier revision
// had applied.
func TestWhatAnEarlierRevisionAppliedIsLookedAtAfterARestart(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": fiveLines})
	reworkedOnce(s)
	s.ed.apply = s.landsUnanswered
	if _, err := s.agent.Undo(s.ctx(), decision.Request{Plan: 1}); err != nil {
		t.Fatal(err)
	}
	s.wantFile("a.txt", fiveLines)
	s.restart()
	s.wantEarlier("pending")
	s.ed.apply = nil
	_, err := s.agent.Undo(s.ctx(), decision.Request{Plan: 1})
	s.wantRefused(err, refusal.WrongState)
}

// What an earlier revision applied in a buffer goes with the buffer, and is
// applied again when an editor shows it.
func TestWhatAnEarlierRevisionAppliedComesBackWithItsBuffer(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": fiveLines})
	s.open("a.txt")
	s.ed.apply = s.inBuffer
	reworkedOnce(s)
	b, _ := s.ws.Buffer("a.txt")
	text := b.Lines.Text()
	for range 2 { // two servers end before the buffer is seen
		s.restart()
		s.wantEarlier("pending")
	}
	s.ws.Open(s.ws.URI("a.txt"), "", 1, text)
	for s.ctx().Err() == nil {
		if kept, err := s.store.Plan(s.ctx(), s.dir, 1); err != nil || kept.Progress.Hunk("h1").Status == plan.HunkApplied {
			break
		}
	}
	s.wantEarlier("applied")
	s.ed.apply = s.inBuffer
	if _, err := s.agent.Undo(s.ctx(), decision.Request{Plan: 1}); err != nil {
		t.Fatal(err)
	}
	if b, _ := s.ws.Buffer("a.txt"); b.Lines.Text() != fiveLines {
		t.Errorf("the text is %q", b.Lines.Text())
	}
}

// A buffer that goes while a turn works on the plan is not forgotten: when the turn
// has ended, what an earlier revision applied in it is pending.
func TestABufferOfAnEarlierRevisionGoesDuringATurn(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": fiveLines})
	s.open("a.txt")
	s.ed.apply = s.inBuffer
	reworkedOnce(s)
	begun, wait := make(chan struct{}), make(chan struct{})
	s.model.will(reply{text: "There is nothing to do.", begun: begun, wait: wait})
	id, _, err := s.agent.Rework(s.ctx(), 1, "more", "test")
	if err != nil {
		t.Fatal(err)
	}
	<-begun
	s.ws.Close(s.ws.URI("a.txt"))
	for ctx := s.ctx(); !s.agent.PastLeft(1); { // the look that the closing has begun
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

// A move on the disk that was cut off leaves two files: that is said.
func TestAMoveThatWasCutOff(t *testing.T) {
	s := newSession(t, map[string]string{"old.txt": "a\n"})
	s.model.stages(call("rename_file", map[string]any{"path": "old.txt", "new_path": "new.txt"}))
	p := s.plan("move it")
	s.ed.apply = func(c edits.Change) (edits.Applied, bool) {
		s.writeFile("new.txt", "a\n")
		return unanswered(c)
	}
	s.approve(decision.Request{Plan: 1, Hash: p.Hash})
	s.restart()
	kept, err := s.store.Plan(s.ctx(), s.dir, 1)
	if err != nil {
		t.Fatal(err)
	}
	if m := kept.Progress.File(1, "old.txt"); m.Status != plan.FilePending || m.Cause != plan.BothThere {
		t.Errorf("the file is %s (%s)", m.Status, m.Cause)
	}
	s.wantFile("old.txt", "a\n")
	s.wantFile("new.txt", "a\n")
}

// A file that the user has made, as the plan would, and that is only in a buffer
// goes with the buffer.
func TestWhatIsOnlyInABufferGoesWithIt(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": fiveLines})
	s.model.stages(edit("a.txt", "one\n", "1\n"), call("write_file", map[string]any{"path": "made.txt", "content": "new\n"}))
	p := s.plan("figures")
	s.writeFile("made.txt", "new\n")
	s.open("made.txt")
	if err := os.Remove(filepath.Join(s.dir, "made.txt")); err != nil { // the editor keeps its buffer
		t.Fatal(err)
	}
	if _, err := s.agent.Reject(s.ctx(), decision.Request{Plan: 1, Hash: p.Hash, Hunks: []string{"h1"}}); err != nil {
		t.Fatal(err)
	}
	if got := s.state1(1); got.State != "completed" {
		t.Fatalf("the plan is %s: the file was not taken for made by hand", got.State)
	}
	s.ws.Close(s.ws.URI("made.txt"))
	s.awaitState(1, "awaiting_approval")
}

// An undo that was cut off when it was in an editor's text and not saved: the
// disk says that it was not made, and the editor, which is heard later, that it
// was.
func TestAnUndoThatIsOnlyInABufferIsSeenWhenItIsShown(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": fiveLines})
	s.model.stages(edit("a.txt", "one\n", "1\n"))
	p := s.plan("figures")
	s.approve(decision.Request{Plan: 1, Hash: p.Hash}) // on the disk
	s.ed.apply = unanswered
	if _, err := s.agent.Undo(s.ctx(), decision.Request{Plan: 1}); err != nil {
		t.Fatal(err)
	}
	s.restart()
	s.wantHunks(1, "applied")
	s.ws.Open(s.ws.URI("a.txt"), "", 1, fiveLines)
	s.awaitState(1, "awaiting_approval")
	s.wantHunks(1, "pending")
}
