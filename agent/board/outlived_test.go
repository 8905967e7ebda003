package board_test

import (
	"os"
	"path/filepath"
	"testing"

	"redline/agent/decide/decidetest"
	"redline/agent/plan"
	"redline/agent/view"
	"redline/edits"
)

// approvedInBuffer begins a session in which plan 1 is applied in a buffer that is not saved.
func approvedInBuffer(t *testing.T) *session {
	t.Helper()
	s := newSession(t, map[string]string{"shop.go": shop})
	s.Open("shop.go")
	p := s.PlanRename()
	s.Editor.OnApply = s.InBuffer
	s.MustApprove(view.Request{Plan: 1, Hash: p.Hash})
	return s
}

// An editor outlives its server, and shows its unsaved buffers to the next one after that has
// reconciled with the disk. Changes of an execution that was cut off count as applied there, not
// as the user's own: they can be undone.
func TestWhatWasCutOffComesBackWithItsBuffer(t *testing.T) {
	// unheard makes the change in the buffer, and no answer reaches the server.
	unheard := func(s *session) func(edits.Change) (edits.Applied, bool) {
		return func(c edits.Change) (edits.Applied, bool) {
			s.InBuffer(c)
			return decidetest.Unanswered(c)
		}
	}
	// shows restarts the server this many times, and then shows it the buffer.
	shows := func(s *session, restarts int) {
		b, _ := s.Workspace.Buffer("shop.go")
		text := b.Lines.Text()
		for range restarts {
			s.Restart()
			s.WantHunks(1, "pending", "pending")
		}
		s.Workspace.Open(s.Workspace.URI("shop.go"), "", 1, text)
	}
	for name, restarts := range map[string]int{"an approval": 1, "an approval, and two servers": 2} {
		t.Run(name, func(t *testing.T) {
			s := newSession(t, map[string]string{"shop.go": shop})
			s.Open("shop.go")
			p := s.PlanRename()
			s.Editor.OnApply = unheard(s)
			s.MustApprove(view.Request{Plan: 1, Hash: p.Hash})
			shows(s, restarts)
			s.AwaitState(1, "completed")
			s.Editor.OnApply = s.InBuffer
			if _, err := s.Undo(s.Context(), view.Request{Plan: 1}); err != nil {
				t.Fatal(err)
			}
			if b, _ := s.Workspace.Buffer("shop.go"); b.Lines.Text() != shop {
				t.Errorf("after the undo the buffer is %q", b.Lines.Text())
			}
		})
	}
	t.Run("an undo that did not land", func(t *testing.T) {
		s := approvedInBuffer(t)
		s.Editor.OnApply = decidetest.Unanswered
		if _, err := s.Undo(s.Context(), view.Request{Plan: 1, Hunks: []string{"h1"}}); err != nil {
			t.Fatal(err)
		}
		shows(s, 1)
		s.AwaitState(1, "completed")
		s.Editor.OnApply = s.InBuffer
		if _, err := s.Undo(s.Context(), view.Request{Plan: 1}); err != nil {
			t.Fatal(err)
		}
	})
	t.Run("an approval that never landed", func(t *testing.T) {
		s := newSession(t, map[string]string{"shop.go": shop})
		s.Open("shop.go")
		p := s.PlanRename()
		s.Editor.OnApply = decidetest.Unanswered
		s.MustApprove(view.Request{Plan: 1, Hash: p.Hash})
		shows(s, 1)
		s.Editor.OnApply = s.InBuffer
		if r := s.MustApprove(view.Request{Plan: 1, Hash: p.Hash}); r.State != "completed" {
			t.Errorf("approved again it is %s", r.State)
		}
	})
	t.Run("what was saved meanwhile, and taken out in the editor", func(t *testing.T) {
		s := approvedInBuffer(t)
		b, _ := s.Workspace.Buffer("shop.go")
		s.Restart()
		s.WantHunks(1, "pending", "pending")
		s.Write("shop.go", b.Lines.Text())
		s.Restart()
		s.WantHunks(1, "applied", "applied")
		s.Workspace.Open(b.URI, "", 1, shop)
		s.AwaitState(1, "awaiting_approval")
		s.WantHunks(1, "pending", "pending")
	})
}

// While an editor restarts its server, two may run for a moment, and the one that ends does not
// know the other. It finds that the disk has nothing of the buffer; the server that has the
// buffer corrects that.
func TestAServerThatEndsDoesNotSpeakForTheNextOne(t *testing.T) {
	s := approvedInBuffer(t)
	old := s.Another()
	if err := old.Board.Follower.Recover(s.Context()); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(s.State, "sessions")); err != nil { // as if it did not know of the buffer
		t.Fatal(err)
	}
	old.End()
	if err := old.Board.Reconciler.Leave(s.Context()); err != nil {
		t.Fatal(err)
	}
	stored, err := s.Store.Plan(s.Context(), s.Key(), 1)
	if err != nil || stored.State == plan.Completed {
		t.Fatalf("the server that ended has left the plan %s: %v", stored.State, err)
	}
	s.AwaitState(1, "completed")
	s.WantHunks(1, "applied", "applied")
}

// An editor that saves its files and exits at once, as Vim's :wqa does, has saved them: if
// another program restores the old text, the plan stays completed.
func TestWhatIsSavedLastIsRecordedAtTheEnd(t *testing.T) {
	s := approvedInBuffer(t)
	b, _ := s.Workspace.Buffer("shop.go")
	s.End() // so that nobody reads the file in time
	s.Write("shop.go", b.Lines.Text())
	s.Workspace.Saved(b.URI, nil)
	s.Must(s.Board.Reconciler.CatchUp(s.Context()))
	s.Workspace.Close(b.URI)
	s.Must(s.Board.Reconciler.Leave(s.Context()))

	s.Write("shop.go", shop)
	s.Restart()
	s.WantHunks(1, "applied", "applied")
	if got := s.PlanNow(1).State; got != "completed" {
		t.Errorf("the plan is %s, want completed", got)
	}
}

// A server that ends because the editor restarts it does not take the disk's text for the
// buffer's: the editor has undone the change in the buffer, unsaved.
func TestAServerThatEndsDoesNotTakeTheDiskForTheBuffer(t *testing.T) {
	s := approvedInBuffer(t)
	b, _ := s.Workspace.Buffer("shop.go")
	s.Write("shop.go", b.Lines.Text())
	s.Workspace.Open(b.URI, "", 1, shop)
	s.AwaitState(1, "awaiting_approval")

	s.End()
	s.Workspace.Close(b.URI)
	if err := s.Board.Reconciler.Leave(s.Context()); err != nil {
		t.Fatal(err)
	}
	s.Restart()
	s.WantHunks(1, "applied", "applied") // as on disk
	s.Workspace.Open(b.URI, "", 1, shop)
	s.AwaitState(1, "awaiting_approval")
	s.WantHunks(1, "pending", "pending")
}

// An earlier version stored a sentence for why a hunk is pending, instead of a cause. Such
// records still work: the hunk is applied again if a buffer has it.
func TestARecordWithASentenceForACause(t *testing.T) {
	const sentence = "it was applied, but the file does not have it any more: the editor closed or undid it without saving"
	s := approvedInBuffer(t)
	b, _ := s.Workspace.Buffer("shop.go")
	s.Restart()
	s.WantHunks(1, "pending", "pending")
	s.Tamper(`UPDATE plans SET progress = replace(progress, '"cause":"not_kept"', '"reason":"` + sentence + `"')`)
	s.Restart()
	p := s.PlanNow(1)
	if f := p.Files[0]; f.Reason != sentence || f.Hunks[0].Reason != sentence {
		t.Errorf("the reasons are %q and %q", f.Reason, f.Hunks[0].Reason)
	}
	s.Workspace.Open(b.URI, "", 1, b.Lines.Text())
	s.AwaitState(1, "completed")
	s.WantHunks(1, "applied", "applied")
}
