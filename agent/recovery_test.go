package agent_test

import (
	"context"
	"testing"

	"redline/agent/conversation"
	"redline/agent/decide"
	"redline/agent/decision"
	"redline/agent/refusal"
	"redline/agent/store"
	"redline/edits"
	"redline/workspace"
)

// unanswered is an editor that does not answer.
func unanswered(c edits.Change) (edits.Applied, bool) {
	return edits.Applied{Path: c.Path, Status: edits.Unknown, Reason: "no answer"}, true
}

// landsUnanswered makes the change and does not answer.
func (s *session) landsUnanswered(c edits.Change) (edits.Applied, bool) {
	if _, err := workspace.NewDisk(s.ws).Apply(context.Background(), []edits.Change{c}); err != nil {
		s.t.Error(err)
	}
	return unanswered(c)
}

// inBuffer makes the change in the open buffer, which stays unsaved.
func (s *session) inBuffer(c edits.Change) (edits.Applied, bool) {
	b, _ := s.ws.Buffer(c.Path)
	next, err := edits.Apply(b.Lines.Text(), c.Edits)
	if err != nil {
		s.t.Error(err)
	}
	e := edits.Edit{Span: edits.Span{End: len(b.Lines.Text())}, New: next}
	if err := s.ws.Update(b.URI, b.Version+1, b.Lines.Replace(e), edits.Refine(b.Lines.Text(), e)); err != nil {
		s.t.Error(err)
	}
	return edits.Applied{Path: c.Path, Status: edits.Done, Text: next}, true
}

func TestApprovingAgainBeforeTheAnswerSendsNothing(t *testing.T) {
	s := newSession(t, map[string]string{"shop.go": shop})
	s.open("shop.go")
	p := renamed(s)
	s.ed.apply = unanswered
	s.approve(decision.Request{Plan: 1, Hash: p.Hash})
	_, err := s.agent.Approve(s.ctx(), decision.Request{Plan: 1, Hash: p.Hash})
	s.wantRefused(err, refusal.Busy)
	if n := s.ed.changed(); n != 1 {
		t.Errorf("the edit was sent %d times, want once", n)
	}
}

func TestARefusedUndoLeavesThePlanCompleted(t *testing.T) {
	s := newSession(t, map[string]string{"shop.go": shop})
	p := renamed(s)
	s.approve(decision.Request{Plan: 1, Hash: p.Hash})
	s.ed.apply = func(c edits.Change) (edits.Applied, bool) {
		return edits.Applied{Path: c.Path, Status: edits.Refused, Reason: "no"}, true
	}
	_, err := s.agent.Undo(s.ctx(), decision.Request{Plan: 1})
	s.wantRefused(err, refusal.ApplyFailed)
	if got := s.state1(1).State; got != "completed" {
		t.Errorf("state %s, want completed", got)
	}
}

// What the text shows is stored also when the session ends at that moment.
func TestTheOutcomeSurvivesTheEndOfTheSession(t *testing.T) {
	s := newSession(t, map[string]string{"shop.go": shop})
	p := renamed(s)
	s.ed.apply = func(c edits.Change) (edits.Applied, bool) {
		go s.agent.Close()
		for s.agent.Cancel("") != nil { // until the root context is done: a message is refused then
			if _, _, err := s.agent.Send(conversation.Message{Text: "are you there"}); err != nil {
				break
			}
		}
		next, err := edits.Apply(c.Base, c.Edits)
		if err != nil {
			t.Error(err)
		}
		s.writeFile("shop.go", next)
		return edits.Applied{Path: c.Path, Status: edits.Done, Text: next}, true
	}
	_, _ = s.agent.Approve(context.Background(), decision.Request{Plan: 1, Hash: p.Hash}) // what it answers does not matter
	again := store.New(s.state)
	defer again.Close()
	kept, err := again.Plan(s.ctx(), s.dir, 1)
	if err != nil || kept.State != "completed" {
		t.Errorf("the store says %v, %v; want completed", kept.State, err)
	}
}

// An execution that was cut off is settled by the text of the file, and its
// record is closed.
func TestWhatWasCutOffIsSettledAfterARestart(t *testing.T) {
	t.Run("an approval that landed", func(t *testing.T) {
		s := newSession(t, map[string]string{"shop.go": shop})
		p := renamed(s)
		s.ed.apply = s.landsUnanswered
		s.approve(decision.Request{Plan: 1, Hash: p.Hash, Hunks: []string{"h1"}})
		s.restart()
		s.wantHunks(1, "applied", "pending")
		s.wantNothingUnfinished()
	})
	t.Run("an approval that did not land", func(t *testing.T) {
		s := newSession(t, map[string]string{"shop.go": shop})
		p := renamed(s)
		s.ed.apply = unanswered
		s.approve(decision.Request{Plan: 1, Hash: p.Hash})
		s.restart()
		s.wantHunks(1, "pending", "pending")
		s.wantNothingUnfinished()
	})
	t.Run("an undo of a completed plan", func(t *testing.T) {
		s := newSession(t, map[string]string{"shop.go": shop})
		p := renamed(s)
		s.approve(decision.Request{Plan: 1, Hash: p.Hash})
		s.ed.apply = s.landsUnanswered
		if _, err := s.agent.Undo(s.ctx(), decision.Request{Plan: 1, Hunks: []string{"h1"}}); err != nil {
			t.Fatal(err)
		}
		s.restart()
		s.wantHunks(1, "pending", "applied")
		s.wantNothingUnfinished()
	})
	t.Run("one hunk of a file to be moved", func(t *testing.T) {
		s := newSession(t, map[string]string{"old.txt": "a\nb\nc\nd\ne\nf\n"})
		s.model.stages(call("rename_file", map[string]any{"path": "old.txt", "new_path": "new.txt"}),
			edit("new.txt", "a\n", "A\n"), edit("new.txt", "f\n", "F\n"))
		p := s.plan("move it")
		s.ed.apply = s.landsUnanswered
		s.approve(decision.Request{Plan: 1, Hash: p.Hash, Hunks: []string{"h1"}})
		s.restart()
		s.wantHunks(1, "applied", "pending")
	})
	t.Run("the undo of a move", func(t *testing.T) {
		s := newSession(t, map[string]string{"old.txt": "a\n"})
		s.model.stages(call("rename_file", map[string]any{"path": "old.txt", "new_path": "new.txt"}))
		p := s.plan("move it")
		s.approve(decision.Request{Plan: 1, Hash: p.Hash})
		s.ed.apply = s.landsUnanswered
		if _, err := s.agent.Undo(s.ctx(), decision.Request{Plan: 1}); err != nil {
			t.Fatal(err)
		}
		s.restart()
		s.approve(decision.Request{Plan: 1, Hash: p.Hash})
		s.wantFile("new.txt", "a\n")
	})
	t.Run("a deletion in an editor that keeps the buffer", func(t *testing.T) {
		s := newSession(t, map[string]string{"gone.txt": "bye\n"})
		s.open("gone.txt")
		s.model.stages(call("delete_file", map[string]any{"path": "gone.txt"}))
		p := s.plan("delete it")
		s.ed.apply = s.landsUnanswered
		s.approve(decision.Request{Plan: 1, Hash: p.Hash})
		s.ws.Saved(s.ws.URI("gone.txt"), nil)
		s.awaitState(1, "completed")
	})
}

// wantHunks checks the hunks of a plan's first file.
func (s *session) wantHunks(n int, want ...string) {
	s.t.Helper()
	for i, h := range s.state1(n).Files[0].Hunks {
		if h.Status != want[i] {
			s.t.Errorf("%s is %s (%s), want %s", h.ID, h.Status, h.Reason, want[i])
		}
	}
}

func (s *session) wantNothingUnfinished() {
	s.t.Helper()
	if left, err := s.store.Unfinished(s.ctx(), s.dir); err != nil || len(left) != 0 {
		s.t.Errorf("unfinished executions: %+v, %v", left, err)
	}
}

// What was applied in a buffer that was never saved is gone with the buffer.
func TestWhatWasNeverSavedIsPendingAgain(t *testing.T) {
	begin := func(t *testing.T) *session {
		s := newSession(t, map[string]string{"shop.go": shop})
		s.open("shop.go")
		p := renamed(s)
		s.ed.apply = s.inBuffer
		if r := s.approve(decision.Request{Plan: 1, Hash: p.Hash}); r.State != "completed" {
			t.Fatalf("state %s, want completed", r.State)
		}
		return s
	}
	t.Run("closed", func(t *testing.T) {
		s := begin(t)
		s.ws.Close(s.ws.URI("shop.go"))
		s.awaitState(1, "awaiting_approval")
		s.wantHunks(1, "pending", "pending")
	})
	t.Run("killed", func(t *testing.T) {
		s := begin(t)
		s.restart()
		s.wantHunks(1, "pending", "pending")
	})
	t.Run("undone by hand and saved", func(t *testing.T) {
		s := begin(t)
		b, _ := s.ws.Buffer("shop.go")
		e := edits.Edit{Span: edits.Span{End: len(b.Lines.Text())}, New: shop}
		if err := s.ws.Update(b.URI, 9, b.Lines.Replace(e), []edits.Edit{e}); err != nil {
			t.Fatal(err)
		}
		s.ws.Saved(b.URI, nil)
		s.awaitState(1, "awaiting_approval")
	})
	t.Run("closed and opened again with its text, as for another language", func(t *testing.T) {
		s := begin(t)
		b, _ := s.ws.Buffer("shop.go")
		s.ws.Close(b.URI)
		s.awaitState(1, "awaiting_approval")
		s.ws.Open(b.URI, "other", 1, b.Lines.Text())
		s.awaitState(1, "completed")
		s.wantHunks(1, "applied", "applied")
	})
	t.Run("saved, and changed back later", func(t *testing.T) {
		s := begin(t)
		b, _ := s.ws.Buffer("shop.go")
		s.writeFile("shop.go", b.Lines.Text())
		s.ws.Saved(b.URI, nil)
		s.awaitSaved("shop.go")
		s.ws.Close(b.URI)
		s.writeFile("shop.go", shop) // as a version control system does
		s.restart()
		s.open("shop.go")
		if got := s.state1(1).State; got != "completed" {
			t.Errorf("state %s, want completed: what was saved was kept", got)
		}
	})
}

// awaitSaved waits until the store knows that a file of plan 1 was saved.
func (s *session) awaitSaved(path string) {
	s.t.Helper()
	for s.ctx().Err() == nil {
		p, err := s.store.Plan(s.ctx(), s.dir, 1)
		if err != nil {
			s.t.Fatal(err)
		}
		if !p.Progress.File(1, path).Unsaved {
			return
		}
	}
	s.t.Fatal("the store does not know that the file was saved")
}

func TestAFileThatCannotBeTakenBackDoesNotKeepTheOthers(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\n", "b.txt": "two\n", "c.txt": "three\n"})
	s.model.stages(edit("a.txt", "one", "1"), edit("b.txt", "two", "2"), edit("c.txt", "three", "3"))
	p := s.plan("figures")
	failed := false
	s.ed.apply = func(c edits.Change) (edits.Applied, bool) {
		failed = failed || c.Path == "c.txt"
		return edits.Applied{Path: c.Path, Status: edits.Refused, Reason: "no"}, c.Path == "c.txt" || failed && c.Path == "a.txt"
	}
	_, err := s.agent.Approve(s.ctx(), decision.Request{Plan: 1, Hash: p.Hash})
	s.wantRefused(err, refusal.ApplyFailed)
	s.wantFile("b.txt", "two\n")
	if want := "c.txt was not changed: no. Still changed, because it could not be taken back: a.txt (hunk h1)."; err.Error() != want {
		t.Errorf("the user reads %q, want %q", err, want)
	}
	after, err := s.agent.Reject(s.ctx(), decision.Request{Plan: 1, Hash: p.Hash})
	if err != nil || after.State != "completed" || after.Files[2].Status != "rejected" {
		t.Errorf("rejecting the rest: %v, %s, %s", err, after.State, after.Files[2].Status)
	}
}

// A session that ends looks at the plans while a command is still at work on
// them. Only the race detector sees a difference.
func TestLeaveWhileAPlanGetsRevisions(t *testing.T) {
	s := newSession(t, map[string]string{"shop.go": shop})
	renamed(s)
	ctx, done := s.ctx(), make(chan struct{})
	go func() {
		defer close(done)
		for range 20 {
			if _, err := s.agent.Stage(ctx, decide.Staging{Plan: 1, Clear: true}); err != nil {
				t.Error(err)
			}
			if _, err := s.agent.Rollback(ctx, 1, 1); err != nil {
				t.Error(err)
			}
		}
	}()
	for {
		select {
		case <-done:
			return
		default:
			s.must(s.agent.Leave(ctx))
		}
	}
}

// A fault while a plan is carried out leaves it as the text shows it, and not
// under way until Redline ends.
func TestAFaultInAnExecutionIsSettledByTheText(t *testing.T) {
	for _, c := range []struct {
		name  string
		lands bool
		want  string
	}{{"before the change", false, "awaiting_approval"}, {"after the change", true, "completed"}} {
		t.Run(c.name, func(t *testing.T) {
			s := newSession(t, map[string]string{"shop.go": shop})
			p := renamed(s)
			s.ed.apply = func(change edits.Change) (edits.Applied, bool) {
				if c.lands {
					s.landsUnanswered(change)
				}
				panic("boom")
			}
			if _, err := s.agent.Approve(s.ctx(), decision.Request{Plan: 1, Hash: p.Hash}); err == nil {
				t.Error("the approval said nothing of the fault")
			}
			if got := s.state1(1).State; got != c.want {
				t.Errorf("the plan is %s, want %s", got, c.want)
			}
			s.wantNothingUnfinished()
			s.ed.apply = nil
			if !c.lands {
				if r := s.approve(decision.Request{Plan: 1, Hash: p.Hash}); r.State != "completed" {
					t.Errorf("approved again it is %s", r.State)
				}
			}
		})
	}
}
