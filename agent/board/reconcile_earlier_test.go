package board_test

import (
	"os"
	"path/filepath"
	"testing"

	"redline/agent/agenttest"
	"redline/agent/decide/decidetest"
	"redline/agent/plan"
	"redline/agent/view"
	"redline/edits"
)

const fiveLines = "one\ntwo\nthree\nfour\nfive\n"

// reworkedOnce makes a plan whose h1 is applied in revision 1; h2 is pending, and revision 2 has
// h2 and h3.
func reworkedOnce(s *session) {
	s.t.Helper()
	p := s.Plan("figures", edit("a.txt", "one\n", "1\n"), edit("a.txt", "three\n", "3\n"))
	s.MustApprove(view.Request{Plan: 1, Hash: p.Hash, Hunks: []string{"h1"}})
	s.Rework(edit("a.txt", "five\n", "5\n"))
}

// An undo that was cut off is found in the text for hunks of an earlier revision, too.
func TestWhatAnEarlierRevisionAppliedIsLookedAtAfterARestart(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": fiveLines})
	reworkedOnce(s)
	s.Editor.OnApply = s.LandsUnanswered
	if _, err := s.Undo(s.Context(), view.Request{Plan: 1}); err != nil {
		t.Fatal(err)
	}
	s.WantFile("a.txt", fiveLines)
	s.Restart()
	s.WantEarlier("pending")
	s.Editor.OnApply = nil
	_, err := s.Undo(s.Context(), view.Request{Plan: 1})
	s.WantRefused(err, plan.WrongState)
}

// A hunk of an earlier revision that was applied in a buffer is lost with the buffer, and is
// applied again when an editor shows it.
func TestWhatAnEarlierRevisionAppliedComesBackWithItsBuffer(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": fiveLines})
	s.Open("a.txt")
	s.Editor.OnApply = s.InBuffer
	reworkedOnce(s)
	b, _ := s.Workspace.Buffer("a.txt")
	text := b.Lines.Text()
	for range 2 { // two servers end before they see the buffer
		s.Restart()
		s.WantEarlier("pending")
	}
	s.Workspace.Open(s.Workspace.URI("a.txt"), "", 1, text)
	for s.Context().Err() == nil {
		if kept, err := s.Store.Plan(s.Context(), s.Key(), 1); err != nil || kept.Progress.Hunk("h1").Status == plan.HunkApplied {
			break
		}
	}
	s.WantEarlier("applied")
	s.Editor.OnApply = s.InBuffer
	if _, err := s.Undo(s.Context(), view.Request{Plan: 1}); err != nil {
		t.Fatal(err)
	}
	if b, _ := s.Workspace.Buffer("a.txt"); b.Lines.Text() != fiveLines {
		t.Errorf("the text is %q", b.Lines.Text())
	}
}

// A move on disk that was cut off leaves two files, which is recorded.
func TestAMoveThatWasCutOff(t *testing.T) {
	s := newSession(t, map[string]string{"old.txt": "a\n"})
	p := s.Plan("move it", call("rename_file", map[string]any{"path": "old.txt", "new_path": "new.txt"}))
	s.Editor.OnApply = func(c edits.Change) (edits.Applied, bool) {
		s.Write("new.txt", "a\n")
		return decidetest.Unanswered(c)
	}
	s.MustApprove(view.Request{Plan: 1, Hash: p.Hash})
	s.Restart()
	kept, err := s.Store.Plan(s.Context(), s.Key(), 1)
	if err != nil {
		t.Fatal(err)
	}
	if m := kept.Progress.File(1, "old.txt"); m.Status != plan.FilePending || m.Cause != plan.BothThere {
		t.Errorf("the file is %s (%s)", m.Status, m.Cause)
	}
	s.WantFile("old.txt", "a\n")
	s.WantFile("new.txt", "a\n")
}

// A file that the user has made as planned, and that is only in a buffer, is lost with the
// buffer.
func TestWhatIsOnlyInABufferGoesWithIt(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": fiveLines})
	p := s.Plan("figures", edit("a.txt", "one\n", "1\n"), call("write_file", map[string]any{"path": "made.txt", "content": "new\n"}))
	s.Write("made.txt", "new\n")
	s.Open("made.txt")
	if err := os.Remove(filepath.Join(s.Dir, "made.txt")); err != nil { // the editor keeps its buffer
		t.Fatal(err)
	}
	if _, err := s.Reject(s.Context(), view.Request{Plan: 1, Hash: p.Hash, Hunks: []string{"h1"}}); err != nil {
		t.Fatal(err)
	}
	if got := s.PlanNow(1); got.State != "completed" {
		t.Fatalf("the plan is %s: the file was not taken for made by hand", got.State)
	}
	s.Workspace.Close(s.Workspace.URI("made.txt"))
	s.AwaitState(1, "awaiting_approval")
}

// An undo was cut off when it was in the editor's text, unsaved: by the disk it was not made, and
// the editor shows later that it was.
func TestAnUndoThatIsOnlyInABufferIsSeenWhenItIsShown(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": fiveLines})
	p := s.Plan("figures", edit("a.txt", "one\n", "1\n"))
	s.MustApprove(view.Request{Plan: 1, Hash: p.Hash}) // on disk
	s.Editor.OnApply = decidetest.Unanswered
	if _, err := s.Undo(s.Context(), view.Request{Plan: 1}); err != nil {
		t.Fatal(err)
	}
	s.Restart()
	s.WantHunks(1, "applied")
	s.Workspace.Open(s.Workspace.URI("a.txt"), "", 1, fiveLines)
	s.AwaitState(1, "awaiting_approval")
	s.WantHunks(1, "pending")
}

// If a buffer is discarded while a turn works on the plan, that is not forgotten: when the turn has
// ended, what an earlier revision applied in it is pending.
func TestABufferOfAnEarlierRevisionGoesDuringATurn(t *testing.T) {
	s := agenttest.New(t, map[string]string{"a.txt": fiveLines})
	s.Open("a.txt")
	s.Editor.OnApply = s.InBuffer
	s.Model.Stages(agenttest.Edit("a.txt", "one\n", "1\n"), agenttest.Edit("a.txt", "three\n", "3\n"))
	s.Plan("figures")
	s.MustApprove(view.Request{Plan: 1, Hunks: []string{"h1"}})
	s.Rework(agenttest.Edit("a.txt", "five\n", "5\n"))
	begun, wait := make(chan struct{}), make(chan struct{})
	s.Model.Will(agenttest.Reply{Text: "There is nothing to do.", Begun: begun, Wait: wait})
	id, _, err := s.Agent.Turns.Rework(s.Context(), 1, "more", "test")
	if err != nil {
		t.Fatal(err)
	}
	<-begun
	s.Workspace.Close(s.Workspace.URI("a.txt"))
	for ctx := s.Context(); !s.Board.EarlierLeft(s.Board.Held(1)); { // the look that closing the buffer has started
		if ctx.Err() != nil {
			t.Fatal("nothing is left to be looked at")
		}
	}
	s.WantEarlier("applied")
	close(wait)
	s.Wait(id)
	s.Board.Disk.Look(s.Context(), false)
	s.WantEarlier("pending")
}
