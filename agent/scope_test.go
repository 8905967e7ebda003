package agent_test

import (
	"slices"
	"testing"

	"redline/agent/decision"
	"redline/agent/refusal"
	"redline/agent/state"
)

// wantOperations checks how far the operations of plan 1 are.
func (s *session) wantOperations(want ...string) {
	s.t.Helper()
	var got []string
	for _, o := range s.state1(1).Operations {
		got = append(got, o.ID+" "+o.Status)
	}
	if !slices.Equal(got, want) {
		s.t.Errorf("operations %q, want %q", got, want)
	}
}

func TestAnOperationIsDecidedOnByItself(t *testing.T) {
	begin := func(t *testing.T) (*session, state.Plan) {
		s := newSession(t, map[string]string{"a.txt": nine})
		s.model.stages(edit("a.txt", "two", "2"), edit("a.txt", "three", "3"), edit("a.txt", "eight", "8"))
		return s, s.plan("figures")
	}
	t.Run("approved", func(t *testing.T) {
		s, p := begin(t)
		if r := s.approve(decision.Request{Plan: 1, Hash: p.Hash, Operation: "o2"}); r.State != "reviewing" {
			t.Errorf("state %s, want reviewing", r.State)
		}
		s.wantFile("a.txt", replaceAll(nine, "three", "3"))
		s.wantOperations("o1 pending", "o2 applied", "o3 pending")
		_, err := s.agent.Approve(s.ctx(), decision.Request{Plan: 1, Hash: p.Hash, Operation: "o2"})
		s.wantRefused(err, refusal.WrongState)
		s.restart()
		if r := s.approve(decision.Request{Plan: 1, Hash: p.Hash, Operation: "o1"}); r.State != "reviewing" {
			t.Errorf("state %s, want reviewing", r.State)
		}
		s.wantFile("a.txt", replaceAll(nine, "two", "2", "three", "3"))
	})
	t.Run("rejected", func(t *testing.T) {
		s, p := begin(t)
		if _, err := s.agent.Reject(s.ctx(), decision.Request{Plan: 1, Hash: p.Hash, Operation: "o1"}); err != nil {
			t.Fatal(err)
		}
		s.wantOperations("o1 rejected", "o2 pending", "o3 pending")
		s.approve(decision.Request{Plan: 1, Hash: p.Hash})
		s.wantFile("a.txt", replaceAll(nine, "three", "3", "eight", "8"))
		s.wantOperations("o1 rejected", "o2 applied", "o3 applied")
	})
	t.Run("after a rework", func(t *testing.T) {
		s, _ := begin(t)
		p := s.rework(edit("a.txt", "3", "drei"), edit("a.txt", "five", "5"))
		s.approve(decision.Request{Plan: 1, Hash: p.Hash, Operation: "o4"})
		s.wantFile("a.txt", replaceAll(nine, "three", "drei"))
		s.wantOperations("o1 pending", "o2 applied", "o3 pending", "o4 applied", "o5 pending")
	})
}

func TestAMoveGoesWithTheOperationThatMoved(t *testing.T) {
	begin := func(t *testing.T) (*session, state.Plan) {
		s := newSession(t, map[string]string{"a.txt": nine})
		s.model.stages(edit("a.txt", "two", "2"),
			call("rename_file", map[string]any{"path": "a.txt", "new_path": "b.txt"}), edit("b.txt", "eight", "8"))
		return s, s.plan("move it")
	}
	t.Run("the move first", func(t *testing.T) {
		s, p := begin(t)
		s.approve(decision.Request{Plan: 1, Hash: p.Hash, Operation: "o2"})
		s.wantFile("a.txt", "")
		s.wantFile("b.txt", nine)
		s.wantOperations("o1 pending", "o2 applied", "o3 pending")
		s.approve(decision.Request{Plan: 1, Hash: p.Hash, Operation: "o3"})
		s.wantFile("b.txt", replaceAll(nine, "eight", "8"))
		s.wantOperations("o1 pending", "o2 applied", "o3 applied")
		s.undo(decision.Request{Plan: 1})
		s.wantFile("a.txt", nine)
		s.wantFile("b.txt", "")
	})
	t.Run("an edit only", func(t *testing.T) {
		s, p := begin(t)
		s.approve(decision.Request{Plan: 1, Hash: p.Hash, Operation: "o1"})
		s.wantFile("a.txt", replaceAll(nine, "two", "2"))
		s.wantFile("b.txt", "")
		s.approve(decision.Request{Plan: 1, Hash: p.Hash})
		s.wantFile("b.txt", replaceAll(nine, "two", "2", "eight", "8"))
	})
	t.Run("the move rejected", func(t *testing.T) {
		s, p := begin(t)
		if _, err := s.agent.Reject(s.ctx(), decision.Request{Plan: 1, Hash: p.Hash, Operation: "o2"}); err != nil {
			t.Fatal(err)
		}
		s.wantOperations("o1 pending", "o2 rejected", "o3 pending")
		s.approve(decision.Request{Plan: 1, Hash: p.Hash})
		s.wantFile("a.txt", replaceAll(nine, "two", "2", "eight", "8"))
		s.wantFile("b.txt", "")
	})
}
