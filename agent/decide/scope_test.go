package decide_test

import (
	"slices"
	"testing"

	"redline/agent/plan"
	"redline/agent/state"
	"redline/agent/view"
)

// wantOperations checks the statuses of the operations of plan 1.
func (s *session) wantOperations(want ...string) {
	s.t.Helper()
	var got []string
	for _, o := range s.PlanNow(1).Operations {
		got = append(got, o.ID+" "+o.Status)
	}
	if !slices.Equal(got, want) {
		s.t.Errorf("operations %q, want %q", got, want)
	}
}

func TestAnOperationIsDecidedOnByItself(t *testing.T) {
	begin := func(t *testing.T) (*session, state.Plan) {
		s := newSession(t, map[string]string{"a.txt": nine})
		return s, s.Plan("figures", edit("a.txt", "two", "2"), edit("a.txt", "three", "3"), edit("a.txt", "eight", "8"))
	}
	t.Run("approved", func(t *testing.T) {
		s, p := begin(t)
		if r := s.MustApprove(view.Request{Plan: 1, Hash: p.Hash, Operation: "o2"}); r.State != "reviewing" {
			t.Errorf("state %s, want reviewing", r.State)
		}
		s.WantFile("a.txt", replaceAll(nine, "three", "3"))
		s.wantOperations("o1 pending", "o2 applied", "o3 pending")
		_, err := s.Approve(s.Context(), view.Request{Plan: 1, Hash: p.Hash, Operation: "o2"})
		s.WantRefused(err, plan.WrongState)
		s.Restart()
		if r := s.MustApprove(view.Request{Plan: 1, Hash: p.Hash, Operation: "o1"}); r.State != "reviewing" {
			t.Errorf("state %s, want reviewing", r.State)
		}
		s.WantFile("a.txt", replaceAll(nine, "two", "2", "three", "3"))
	})
	t.Run("rejected", func(t *testing.T) {
		s, p := begin(t)
		if _, err := s.Reject(s.Context(), view.Request{Plan: 1, Hash: p.Hash, Operation: "o1"}); err != nil {
			t.Fatal(err)
		}
		s.wantOperations("o1 rejected", "o2 pending", "o3 pending")
		s.MustApprove(view.Request{Plan: 1, Hash: p.Hash})
		s.WantFile("a.txt", replaceAll(nine, "three", "3", "eight", "8"))
		s.wantOperations("o1 rejected", "o2 applied", "o3 applied")
	})
	t.Run("after a rework", func(t *testing.T) {
		s, _ := begin(t)
		p := s.Rework(edit("a.txt", "3", "drei"), edit("a.txt", "five", "5"))
		s.MustApprove(view.Request{Plan: 1, Hash: p.Hash, Operation: "o4"})
		s.WantFile("a.txt", replaceAll(nine, "three", "drei"))
		s.wantOperations("o1 pending", "o2 applied", "o3 pending", "o4 applied", "o5 pending")
	})
}

func TestAMoveGoesWithTheOperationThatMoved(t *testing.T) {
	begin := func(t *testing.T) (*session, state.Plan) {
		s := newSession(t, map[string]string{"a.txt": nine})
		return s, s.Plan("move it", edit("a.txt", "two", "2"),
			call("rename_file", map[string]any{"path": "a.txt", "new_path": "b.txt"}), edit("b.txt", "eight", "8"))
	}
	t.Run("the move first", func(t *testing.T) {
		s, p := begin(t)
		s.MustApprove(view.Request{Plan: 1, Hash: p.Hash, Operation: "o2"})
		s.WantFile("a.txt", "")
		s.WantFile("b.txt", nine)
		s.wantOperations("o1 pending", "o2 applied", "o3 pending")
		s.MustApprove(view.Request{Plan: 1, Hash: p.Hash, Operation: "o3"})
		s.WantFile("b.txt", replaceAll(nine, "eight", "8"))
		s.wantOperations("o1 pending", "o2 applied", "o3 applied")
		s.MustUndo(view.Request{Plan: 1})
		s.WantFile("a.txt", nine)
		s.WantFile("b.txt", "")
	})
	t.Run("an edit only", func(t *testing.T) {
		s, p := begin(t)
		s.MustApprove(view.Request{Plan: 1, Hash: p.Hash, Operation: "o1"})
		s.WantFile("a.txt", replaceAll(nine, "two", "2"))
		s.WantFile("b.txt", "")
		s.MustApprove(view.Request{Plan: 1, Hash: p.Hash})
		s.WantFile("b.txt", replaceAll(nine, "two", "2", "eight", "8"))
	})
	t.Run("the move rejected", func(t *testing.T) {
		s, p := begin(t)
		if _, err := s.Reject(s.Context(), view.Request{Plan: 1, Hash: p.Hash, Operation: "o2"}); err != nil {
			t.Fatal(err)
		}
		s.wantOperations("o1 pending", "o2 rejected", "o3 pending")
		s.MustApprove(view.Request{Plan: 1, Hash: p.Hash})
		s.WantFile("a.txt", replaceAll(nine, "two", "2", "eight", "8"))
		s.WantFile("b.txt", "")
	})
}
