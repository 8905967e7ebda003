package agent_test

import (
	"strings"
	"testing"

	"redline/agent/decision"
	"redline/agent/editor"
	"redline/agent/state"
	"redline/edits"
)

// threeKinds plans a hunk that takes a line away, one that puts one in and one
// that replaces one.
func threeKinds(s *session) state.Plan {
	s.model.stages(edit("k.txt", "b\n", ""), edit("k.txt", "d\n", "d\nnew\n"), edit("k.txt", "f\n", "F\n"))
	return s.plan("change k.txt")
}

// What was cut off is told hunk by hunk, by the text alone: a line that is to go
// and stands there has not gone, also where nothing stands for it in the new text.
func TestWhatWasCutOffIsToldHunkByHunk(t *testing.T) {
	const none, all = "a\nb\nc\nd\ne\nf\ng\n", "a\nc\nd\nnew\ne\nF\ng\n"
	type want struct{ text, state, file, hunks string }
	check := func(t *testing.T, begin func(s *session, p state.Plan), w want) {
		s := newSession(t, map[string]string{"k.txt": none})
		p := threeKinds(s)
		begin(s, p)
		s.writeFile("k.txt", w.text)
		s.restart()
		got := s.state1(1)
		var hunks []string
		for _, h := range got.Files[0].Hunks {
			hunks = append(hunks, h.Status)
		}
		if got.State != w.state || got.Files[0].Status != w.file || strings.Join(hunks, " ") != w.hunks {
			t.Errorf("with %q: the plan is %s, the file %s (%s), the hunks %v; want %+v",
				w.text, got.State, got.Files[0].Status, got.Files[0].Reason, hunks, w)
		}
		s.wantFile("k.txt", w.text)
		s.wantNothingUnfinished()
	}

	t.Run("an approval", func(t *testing.T) {
		for _, w := range []want{
			{none, "awaiting_approval", "pending", "pending pending pending"},
			{all, "completed", "applied", "applied applied applied"},
			{"a\nc\nd\ne\nf\ng\n", "failed", "failed", "applied pending pending"},
			{"a\nb\nc\nd\nnew\ne\nf\ng\n", "failed", "failed", "pending applied pending"},
			{"a\nb\nc\nd\ne\nF\ng\n", "failed", "failed", "pending pending applied"},
			{"a\nb\nc\nd\nnew\ne\nF\ng\n", "failed", "failed", "pending applied applied"},
			// and something typed besides
			{"typed\na\nb\nc\nd\ne\nf\ng\n", "awaiting_approval", "pending", "pending pending pending"},
			{"a\nc\nd\ntyped\nnew\ne\nF\ng\n", "completed", "applied", "applied applied applied"},
			{"a\nb\nc\ntyped\nd\ne\nF\ng\n", "failed", "failed", "pending pending applied"},
		} {
			check(t, func(s *session, p state.Plan) {
				s.ed.apply = unanswered
				s.approve(decision.Request{Plan: 1, Hash: p.Hash})
			}, w)
		}
	})
	t.Run("an undo", func(t *testing.T) {
		for _, w := range []want{
			{none, "awaiting_approval", "pending", "pending pending pending"},
			{all, "completed", "applied", "applied applied applied"},
			{"a\nb\nc\nd\nnew\ne\nF\ng\n", "awaiting_approval", "failed", "pending applied applied"},
			{"a\nc\nd\ne\nf\ng\n", "awaiting_approval", "failed", "applied pending pending"},
		} {
			check(t, func(s *session, p state.Plan) {
				s.approve(decision.Request{Plan: 1, Hash: p.Hash})
				s.ed.apply = unanswered
				if _, err := s.agent.Undo(s.ctx(), decision.Request{Plan: 1}); err != nil {
					t.Fatal(err)
				}
			}, w)
		}
	})
	t.Run("a review", func(t *testing.T) {
		for _, w := range []want{
			{none, "awaiting_approval", "pending", "pending pending pending"},
			{all, "completed", "applied", "applied applied applied"},
			{"a\nc\nd\ne\nf\ng\n", "reviewing", "pending", "applied pending pending"},
			{"a\nb\nc\nd\nnew\ne\nF\ng\n", "reviewing", "pending", "pending applied applied"},
		} {
			check(t, func(s *session, p state.Plan) {
				s.ed.review = func([]editor.Proposal) []edits.Applied {
					return []edits.Applied{{Path: "k.txt", Status: edits.Unknown}}
				}
				if _, err := s.agent.Review(s.ctx(), decision.Request{Plan: 1, Hash: p.Hash}); err != nil {
					t.Fatal(err)
				}
			}, w)
		}
	})
}

// A half of an approval goes on where it was cut off.
func TestTheRestOfWhatWasCutOffIsApprovedLater(t *testing.T) {
	s := newSession(t, map[string]string{"k.txt": "a\nb\nc\nd\ne\nf\ng\n"})
	p := threeKinds(s)
	s.ed.apply = unanswered
	s.approve(decision.Request{Plan: 1, Hash: p.Hash})
	s.writeFile("k.txt", "a\nb\nc\nd\nnew\ne\nf\ng\n")
	s.restart()
	if r := s.approve(decision.Request{Plan: 1, Hash: p.Hash}); r.State != "completed" {
		t.Errorf("%+v; want completed", r)
	}
	s.wantFile("k.txt", "a\nc\nd\nnew\ne\nF\ng\n")
	if _, err := s.agent.Undo(s.ctx(), decision.Request{Plan: 1}); err != nil {
		t.Fatal(err)
	}
	s.wantFile("k.txt", "a\nb\nc\nd\ne\nf\ng\n")
}

// The file is where the text says, and has what it says.
func TestAMoveThatWasCutOffIsToldByItself(t *testing.T) {
	s := newSession(t, map[string]string{"old.txt": "a\nb\nc\n"})
	s.model.stages(call("rename_file", map[string]any{"path": "old.txt", "new_path": "new.txt"}), edit("new.txt", "b\n", ""))
	p := s.plan("move it")
	s.ed.apply = func(c edits.Change) (edits.Applied, bool) {
		c.Edits = nil // the move without the edits
		return s.landsUnanswered(c)
	}
	s.approve(decision.Request{Plan: 1, Hash: p.Hash})
	s.restart()
	s.wantHunks(1, "pending")
	s.wantNothingUnfinished()
	if r := s.approve(decision.Request{Plan: 1, Hash: p.Hash}); r.State != "completed" {
		t.Errorf("%+v; want completed", r)
	}
	s.wantFile("new.txt", "a\nc\n")
	s.wantFile("old.txt", "")
	if _, err := s.agent.Undo(s.ctx(), decision.Request{Plan: 1}); err != nil {
		t.Fatal(err)
	}
	s.wantFile("old.txt", "a\nb\nc\n")
}

// A deletion that was only in a buffer is gone with it.
func TestADeletionThatWasNeverSavedIsPendingAgain(t *testing.T) {
	s := newSession(t, map[string]string{"k.txt": "a\nb\nc\nd\ne\nf\ng\n"})
	s.open("k.txt")
	p := threeKinds(s)
	s.ed.apply = s.inBuffer
	if r := s.approve(decision.Request{Plan: 1, Hash: p.Hash}); r.State != "completed" {
		t.Fatalf("state %s, want completed", r.State)
	}
	s.ws.Close(s.ws.URI("k.txt"))
	s.awaitState(1, "awaiting_approval")
	s.wantHunks(1, "pending", "pending", "pending")
}

// A move that nobody could see has not failed: the text will tell.
func TestAMoveThatCannotBeSeenIsUnverified(t *testing.T) {
	s := newSession(t, map[string]string{"old.txt": "a\n"})
	s.model.stages(call("rename_file", map[string]any{"path": "old.txt", "new_path": "new.txt"}))
	p := s.plan("move it")
	s.ed.apply = func(c edits.Change) (edits.Applied, bool) {
		return edits.Applied{Path: c.Path, Status: edits.Unverified, Reason: "look at it"}, true
	}
	if r := s.approve(decision.Request{Plan: 1, Hash: p.Hash}); r.Files[0].Status != "unverified" {
		t.Errorf("%+v; want unverified", r)
	}
	s.restart()
	if p := s.state1(1); p.Files[0].Status != "pending" {
		t.Errorf("after a restart: %+v; want pending: it is under its old name", p.Files[0])
	}
}
