package board_test

import (
	"testing"

	"redline/agent/decide"
	"redline/agent/decide/decidetest"
	"redline/agent/view"
	"redline/edits"
)

// An execution that was cut off is settled by the text of the file, and its record is closed.
func TestWhatWasCutOffIsSettledAfterARestart(t *testing.T) {
	t.Run("an approval that landed", func(t *testing.T) {
		s := newSession(t, map[string]string{"shop.go": shop})
		p := s.PlanRename()
		s.Editor.OnApply = s.LandsUnanswered
		s.MustApprove(view.Request{Plan: 1, Hash: p.Hash, Hunks: []string{"h1"}})
		s.Restart()
		s.WantHunks(1, "applied", "pending")
		s.WantNothingUnfinished()
	})
	t.Run("an approval that did not land", func(t *testing.T) {
		s := newSession(t, map[string]string{"shop.go": shop})
		p := s.PlanRename()
		s.Editor.OnApply = decidetest.Unanswered
		s.MustApprove(view.Request{Plan: 1, Hash: p.Hash})
		s.Restart()
		s.WantHunks(1, "pending", "pending")
		s.WantNothingUnfinished()
	})
	t.Run("an undo of a completed plan", func(t *testing.T) {
		s := newSession(t, map[string]string{"shop.go": shop})
		p := s.PlanRename()
		s.MustApprove(view.Request{Plan: 1, Hash: p.Hash})
		s.Editor.OnApply = s.LandsUnanswered
		if _, err := s.Undo(s.Context(), view.Request{Plan: 1, Hunks: []string{"h1"}}); err != nil {
			t.Fatal(err)
		}
		s.Restart()
		s.WantHunks(1, "pending", "applied")
		s.WantNothingUnfinished()
	})
	t.Run("one hunk of a file to be moved", func(t *testing.T) {
		s := newSession(t, map[string]string{"old.txt": "a\nb\nc\nd\ne\nf\n"})
		p := s.Plan("move it", call("rename_file", map[string]any{"path": "old.txt", "new_path": "new.txt"}),
			edit("new.txt", "a\n", "A\n"), edit("new.txt", "f\n", "F\n"))
		s.Editor.OnApply = s.LandsUnanswered
		s.MustApprove(view.Request{Plan: 1, Hash: p.Hash, Hunks: []string{"h1"}})
		s.Restart()
		s.WantHunks(1, "applied", "pending")
	})
	t.Run("the undo of a move", func(t *testing.T) {
		s := newSession(t, map[string]string{"old.txt": "a\n"})
		p := s.Plan("move it", call("rename_file", map[string]any{"path": "old.txt", "new_path": "new.txt"}))
		s.MustApprove(view.Request{Plan: 1, Hash: p.Hash})
		s.Editor.OnApply = s.LandsUnanswered
		if _, err := s.Undo(s.Context(), view.Request{Plan: 1}); err != nil {
			t.Fatal(err)
		}
		s.Restart()
		s.MustApprove(view.Request{Plan: 1, Hash: p.Hash})
		s.WantFile("new.txt", "a\n")
	})
	t.Run("a deletion in an editor that keeps the buffer", func(t *testing.T) {
		s := newSession(t, map[string]string{"gone.txt": "bye\n"})
		s.Open("gone.txt")
		p := s.Plan("delete it", call("delete_file", map[string]any{"path": "gone.txt"}))
		s.Editor.OnApply = s.LandsUnanswered
		s.MustApprove(view.Request{Plan: 1, Hash: p.Hash})
		s.Workspace.Saved(s.Workspace.URI("gone.txt"), nil)
		s.AwaitState(1, "completed")
	})
}

// A change that was applied in a buffer and never saved is lost with the buffer.
func TestWhatWasNeverSavedIsPendingAgain(t *testing.T) {
	begin := func(t *testing.T) *session {
		s := newSession(t, map[string]string{"shop.go": shop})
		s.Open("shop.go")
		p := s.PlanRename()
		s.Editor.OnApply = s.InBuffer
		if r := s.MustApprove(view.Request{Plan: 1, Hash: p.Hash}); r.State != "completed" {
			t.Fatalf("state %s, want completed", r.State)
		}
		return s
	}
	t.Run("closed", func(t *testing.T) {
		s := begin(t)
		s.Workspace.Close(s.Workspace.URI("shop.go"))
		s.AwaitState(1, "awaiting_approval")
		s.WantHunks(1, "pending", "pending")
	})
	t.Run("killed", func(t *testing.T) {
		s := begin(t)
		s.Restart()
		s.WantHunks(1, "pending", "pending")
	})
	t.Run("undone by hand and saved", func(t *testing.T) {
		s := begin(t)
		b, _ := s.Workspace.Buffer("shop.go")
		e := edits.Edit{Span: edits.Span{End: len(b.Lines.Text())}, New: shop}
		if err := s.Workspace.Update(b.URI, 9, b.Lines.Replace(e), []edits.Edit{e}); err != nil {
			t.Fatal(err)
		}
		s.Workspace.Saved(b.URI, nil)
		s.AwaitState(1, "awaiting_approval")
	})
	t.Run("closed and opened again with its text, as for another language", func(t *testing.T) {
		s := begin(t)
		b, _ := s.Workspace.Buffer("shop.go")
		s.Workspace.Close(b.URI)
		s.AwaitState(1, "awaiting_approval")
		s.Workspace.Open(b.URI, "other", 1, b.Lines.Text())
		s.AwaitState(1, "completed")
		s.WantHunks(1, "applied", "applied")
	})
	t.Run("saved, and changed back later", func(t *testing.T) {
		s := begin(t)
		b, _ := s.Workspace.Buffer("shop.go")
		s.Write("shop.go", b.Lines.Text())
		s.Workspace.Saved(b.URI, nil)
		s.AwaitSaved("shop.go")
		s.Workspace.Close(b.URI)
		s.Write("shop.go", shop) // as a version control system does
		s.Restart()
		s.Open("shop.go")
		if got := s.PlanNow(1).State; got != "completed" {
			t.Errorf("state %s, want completed: what was saved was kept", got)
		}
	})
}

// A session that ends reconciles plans while a command still revises them. Only the race detector
// sees a difference.
func TestLeaveWhileAPlanGetsRevisions(t *testing.T) {
	s := newSession(t, map[string]string{"shop.go": shop})
	s.PlanRename()
	ctx, done := s.Context(), make(chan struct{})
	go func() {
		defer close(done)
		for range 20 {
			if _, err := s.Stage(ctx, decide.Staging{Plan: 1, Clear: true}); err != nil {
				t.Error(err)
			}
			if _, err := s.Rollback(ctx, 1, 1, ""); err != nil {
				t.Error(err)
			}
		}
	}()
	for {
		select {
		case <-done:
			return
		default:
			s.Must(s.Board.Reconciler.Leave(ctx))
		}
	}
}

// After a panic during an execution the plan has the state that the text shows.
func TestAFaultInAnExecutionIsSettledByTheText(t *testing.T) {
	for _, c := range []struct {
		name  string
		lands bool
		want  string
	}{{"before the change", false, "awaiting_approval"}, {"after the change", true, "completed"}} {
		t.Run(c.name, func(t *testing.T) {
			s := newSession(t, map[string]string{"shop.go": shop})
			p := s.PlanRename()
			s.Editor.OnApply = func(change edits.Change) (edits.Applied, bool) {
				if c.lands {
					s.LandsUnanswered(change)
				}
				panic("boom")
			}
			if _, err := s.Approve(s.Context(), view.Request{Plan: 1, Hash: p.Hash}); err == nil {
				t.Error("the approval said nothing of the fault")
			}
			if got := s.PlanNow(1).State; got != c.want {
				t.Errorf("the plan is %s, want %s", got, c.want)
			}
			s.WantNothingUnfinished()
			s.Editor.OnApply = nil
			if !c.lands {
				if r := s.MustApprove(view.Request{Plan: 1, Hash: p.Hash}); r.State != "completed" {
					t.Errorf("approved again it is %s", r.State)
				}
			}
		})
	}
}
