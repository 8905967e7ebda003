package decidetest

import (
	"context"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"redline/agent/board"
	"redline/agent/conversation"
	"redline/agent/decide"
	"redline/agent/preview"
	"redline/agent/session/sessiontest"
	"redline/agent/state"
	"redline/agent/state/eventtest"
	"redline/agent/store/storetest"
)

// Base is what a test does with a session in which plans are decided, whoever made its owners and
// the plans.
type Base struct {
	*sessiontest.Fixture
	*decide.Decisions
	*decide.Sharing
	Comments      *decide.Comments
	Board         *board.Board
	Previews      *preview.Previews
	Conversations *conversation.Conversations

	t       *testing.T
	checked *atomic.Pointer[board.Board]
	gate    gate
}

// Check makes the editor of the session check each event, and its disk that no reader holds the
// lock of the board. Call it again when the session has other owners.
func (s *Base) Check(t *testing.T) {
	s.t = t
	if s.OnDisk != nil { // the editor and the disk may be in use
		s.checked.Store(s.Board)
		return
	}
	s.Editor.OnEvent = eventtest.Check(t)
	checked := &atomic.Pointer[board.Board]{}
	checked.Store(s.Board)
	s.checked = checked
	s.OnDisk = func() {
		checkLock(t, checked.Load())
		s.gate.wait()
	}
}

// Context returns a context that ends with the test, or after a timeout.
func (s *Base) Context() context.Context { return sessiontest.Timeout(s.t) }

// Must fails the test on an error.
func (s *Base) Must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// PlanNow returns the current plan.
func (s *Base) PlanNow(n int) state.Plan {
	s.t.Helper()
	p, err := s.Board.PlanState(s.Context(), n)
	s.Must(err)
	return p
}

// Preview returns a preview file of a plan, such as "0001-r1.md".
func (s *Base) Preview(file string) string {
	s.t.Helper()
	data, err := os.ReadFile(filepath.Join(s.Dir, ".redline", "plans", file))
	s.Must(err)
	return string(data)
}

// Tamper changes the database behind the store's back.
func (s *Base) Tamper(statement string) {
	s.t.Helper()
	s.Must(storetest.Damage(s.State, statement))
}

// Wait waits until a turn has ended.
func (s *Base) Wait(id string) state.Turn {
	s.t.Helper()
	turn, err := s.Conversations.Wait(s.Context(), id)
	s.Must(err)
	return turn
}
