package board_test

import (
	"testing"

	"redline/agent/decide/decidetest"
	"redline/agent/state"
	"redline/agent/view"
)

// Typing, in a file of the plan or any other, does not wait for those who read the disk.
func TestTypingDoesNotWaitForTheDisk(t *testing.T) {
	unsaved := func(s *session, p state.Plan) { // applied in a buffer, and unsaved
		s.Editor.OnApply = s.InBuffer
		s.MustApprove(view.Request{Plan: 1, Hash: p.Hash, Paths: []string{"b.txt"}})
	}
	for name, one := range map[string]struct {
		before func(s *session, p state.Plan)
		do     func(s *session, p state.Plan) error
	}{
		"the state of all plans": {nil, func(s *session, p state.Plan) error {
			_, err := s.Board.PlanStates(s.Context(), true)
			return err
		}},
		"the state of one": {nil, func(s *session, p state.Plan) error {
			_, err := s.Board.PlanState(s.Context(), 1)
			return err
		}},
		"an approval": {nil, func(s *session, p state.Plan) error {
			_, err := s.Approve(s.Context(), view.Request{Plan: 1, Hash: p.Hash, Paths: []string{"b.txt"}})
			return err
		}},
		"a rejection": {nil, func(s *session, p state.Plan) error {
			_, err := s.Reject(s.Context(), view.Request{Plan: 1, Hash: p.Hash, Paths: []string{"b.txt"}})
			return err
		}},
		"a review": {nil, func(s *session, p state.Plan) error {
			_, _, err := s.Pending(s.Context(), 1)
			return err
		}},
		"an undo": {unsaved, func(s *session, p state.Plan) error {
			_, err := s.Undo(s.Context(), view.Request{Plan: 1, Paths: []string{"b.txt"}})
			return err
		}},
		"a change on the disk": {func(s *session, p state.Plan) { s.Write("c.txt", "ONE\n") }, func(s *session, p state.Plan) error {
			s.Board.Disk.Look(s.Context(), false)
			return nil
		}},
		"what became of an edit": {func(s *session, p state.Plan) {
			s.Editor.OnApply = decidetest.Unanswered
			s.MustApprove(view.Request{Plan: 1, Hash: p.Hash, Paths: []string{"c.txt"}})
		}, func(s *session, p state.Plan) error {
			s.Write("c.txt", "1\n")
			s.Board.Disk.Look(s.Context(), false)
			return nil
		}},
		"a buffer that is found saved": {func(s *session, p state.Plan) { s.Workspace.Open(s.Workspace.URI("new.txt"), "", 1, "") }, func(s *session, p state.Plan) error {
			s.Workspace.FoundSaved(s.Workspace.URI("new.txt"), "")
			return nil
		}},
		"the end of the editor": {unsaved, func(s *session, p state.Plan) error { return s.Board.Reconciler.Leave(s.Context()) }},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSession(t, map[string]string{"a.txt": "one\n", "b.txt": "one\n", "c.txt": "one\n", "other.txt": "x\n"})
			s.Open("a.txt")
			s.Open("b.txt")
			s.Open("other.txt")
			p := s.Plan("figures", edit("a.txt", "one\n", "1\n"), edit("b.txt", "one\n", "1\n"), edit("c.txt", "one\n", "1\n"),
				call("write_file", map[string]any{"path": "new.txt", "content": "1\n"}))
			if one.before != nil {
				one.before(s, p)
			}
			reached, release := s.HoldDisk()
			defer release()
			ended := make(chan error, 1)
			go func() { ended <- one.do(s, p) }()
			select {
			case <-reached:
			case err := <-ended:
				t.Fatalf("it has looked at no disk (%v)", err)
			case <-s.Context().Done():
				t.Fatal("it does not come to look at the disk")
			}
			typed := make(chan struct{})
			go func() {
				defer close(typed)
				s.TypeAt("other.txt", "x", "y")
				s.TypeAt("a.txt", "one", "zero\n")
				s.Board.Snapshot()
			}()
			select {
			case <-typed:
			case <-s.Context().Done():
				t.Error("typing waits for the disk")
			}
			release()
			if err := <-ended; err != nil {
				t.Error(err)
			}
			if got := s.PlanNow(1).Files[0]; got.Hunks[0].Status != "pending" || got.Line(0) != 1 {
				t.Errorf("the hunk of the file that was typed in is %s in line %d", got.Hunks[0].Status, got.Line(0))
			}
		})
	}
}
