package board_test

import (
	"strings"
	"testing"

	"redline/agent/decide/decidetest"
	"redline/agent/state"
	"redline/agent/view"
	"redline/edits"
)

// threeKinds plans three hunks: one deletes a line, one inserts a line, one replaces a line.
func threeKinds(s *session) state.Plan {
	return s.Plan("change k.txt", edit("k.txt", "b\n", ""), edit("k.txt", "d\n", "d\nnew\n"), edit("k.txt", "f\n", "F\n"))
}

// After a restart the text alone shows, hunk by hunk, what an execution that was cut off has
// done. A line to be deleted that is still there was not deleted, even if the new text has
// nothing in its place.
func TestWhatWasCutOffIsToldHunkByHunk(t *testing.T) {
	const none, all = "a\nb\nc\nd\ne\nf\ng\n", "a\nc\nd\nnew\ne\nF\ng\n"
	type want struct{ text, state, file, hunks string }
	check := func(t *testing.T, begin func(s *session, p state.Plan), w want) {
		s := newSession(t, map[string]string{"k.txt": none})
		p := threeKinds(s)
		begin(s, p)
		s.Write("k.txt", w.text)
		s.Restart()
		got := s.PlanNow(1)
		var hunks []string
		for _, h := range got.Files[0].Hunks {
			hunks = append(hunks, h.Status)
		}
		if got.State != w.state || got.Files[0].Status != w.file || strings.Join(hunks, " ") != w.hunks {
			t.Errorf("with %q: the plan is %s, the file %s (%s), the hunks %v; want %+v",
				w.text, got.State, got.Files[0].Status, got.Files[0].Reason, hunks, w)
		}
		s.WantFile("k.txt", w.text)
		s.WantNothingUnfinished()
	}

	t.Run("an approval", func(t *testing.T) {
		for _, w := range []want{
			{none, "awaiting_approval", "pending", "pending pending pending"},
			{all, "completed", "applied", "applied applied applied"},
			{"a\nc\nd\ne\nf\ng\n", "failed", "failed", "applied pending pending"},
			{"a\nb\nc\nd\nnew\ne\nf\ng\n", "failed", "failed", "pending applied pending"},
			{"a\nb\nc\nd\ne\nF\ng\n", "failed", "failed", "pending pending applied"},
			{"a\nb\nc\nd\nnew\ne\nF\ng\n", "failed", "failed", "pending applied applied"},
			// with typing besides
			{"typed\na\nb\nc\nd\ne\nf\ng\n", "awaiting_approval", "pending", "pending pending pending"},
			{"a\nc\nd\ntyped\nnew\ne\nF\ng\n", "completed", "applied", "applied applied applied"},
			{"a\nb\nc\ntyped\nd\ne\nF\ng\n", "failed", "failed", "pending pending applied"},
		} {
			check(t, func(s *session, p state.Plan) {
				s.Editor.OnApply = decidetest.Unanswered
				s.MustApprove(view.Request{Plan: 1, Hash: p.Hash})
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
				s.MustApprove(view.Request{Plan: 1, Hash: p.Hash})
				s.Editor.OnApply = decidetest.Unanswered
				if _, err := s.Undo(s.Context(), view.Request{Plan: 1}); err != nil {
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
				s.Editor.OnReview = func([]state.Proposal) []edits.Applied {
					return []edits.Applied{{Path: "k.txt", Status: edits.Unknown}}
				}
				if _, err := s.Review(s.Context(), view.Request{Plan: 1, Hash: p.Hash}); err != nil {
					t.Fatal(err)
				}
			}, w)
		}
	})
}

// The rest of an approval that was cut off can be approved later.
func TestTheRestOfWhatWasCutOffIsApprovedLater(t *testing.T) {
	s := newSession(t, map[string]string{"k.txt": "a\nb\nc\nd\ne\nf\ng\n"})
	p := threeKinds(s)
	s.Editor.OnApply = decidetest.Unanswered
	s.MustApprove(view.Request{Plan: 1, Hash: p.Hash})
	s.Write("k.txt", "a\nb\nc\nd\nnew\ne\nf\ng\n")
	s.Restart()
	if r := s.MustApprove(view.Request{Plan: 1, Hash: p.Hash}); r.State != "completed" {
		t.Errorf("%+v; want completed", r)
	}
	s.WantFile("k.txt", "a\nc\nd\nnew\ne\nF\ng\n")
	if _, err := s.Undo(s.Context(), view.Request{Plan: 1}); err != nil {
		t.Fatal(err)
	}
	s.WantFile("k.txt", "a\nb\nc\nd\ne\nf\ng\n")
}

// After a move that was cut off, the file is where it is found, with the text that it has.
func TestAMoveThatWasCutOffIsToldByItself(t *testing.T) {
	s := newSession(t, map[string]string{"old.txt": "a\nb\nc\n"})
	p := s.Plan("move it", call("rename_file", map[string]any{"path": "old.txt", "new_path": "new.txt"}), edit("new.txt", "b\n", ""))
	s.Editor.OnApply = func(c edits.Change) (edits.Applied, bool) {
		c.Edits = nil // the move without the edits
		return s.LandsUnanswered(c)
	}
	s.MustApprove(view.Request{Plan: 1, Hash: p.Hash})
	s.Restart()
	s.WantHunks(1, "pending")
	s.WantNothingUnfinished()
	if r := s.MustApprove(view.Request{Plan: 1, Hash: p.Hash}); r.State != "completed" {
		t.Errorf("%+v; want completed", r)
	}
	s.WantFile("new.txt", "a\nc\n")
	s.WantFile("old.txt", "")
	if _, err := s.Undo(s.Context(), view.Request{Plan: 1}); err != nil {
		t.Fatal(err)
	}
	s.WantFile("old.txt", "a\nb\nc\n")
}

// A deletion that was only in a buffer is lost with the buffer.
func TestADeletionThatWasNeverSavedIsPendingAgain(t *testing.T) {
	s := newSession(t, map[string]string{"k.txt": "a\nb\nc\nd\ne\nf\ng\n"})
	s.Open("k.txt")
	p := threeKinds(s)
	s.Editor.OnApply = s.InBuffer
	if r := s.MustApprove(view.Request{Plan: 1, Hash: p.Hash}); r.State != "completed" {
		t.Fatalf("state %s, want completed", r.State)
	}
	s.Workspace.Close(s.Workspace.URI("k.txt"))
	s.AwaitState(1, "awaiting_approval")
	s.WantHunks(1, "pending", "pending", "pending")
}

// A move that nobody could see is not a failure: the disk shows the outcome.
func TestAMoveThatCannotBeSeenIsUnverified(t *testing.T) {
	s := newSession(t, map[string]string{"old.txt": "a\n"})
	p := s.Plan("move it", call("rename_file", map[string]any{"path": "old.txt", "new_path": "new.txt"}))
	s.Editor.OnApply = func(c edits.Change) (edits.Applied, bool) {
		return edits.Applied{Path: c.Path, Status: edits.Unverified, Reason: "look at it"}, true
	}
	if r := s.MustApprove(view.Request{Plan: 1, Hash: p.Hash}); r.Files[0].Status != "unverified" {
		t.Errorf("%+v; want unverified", r)
	}
	s.Restart()
	if p := s.PlanNow(1); p.Files[0].Status != "pending" {
		t.Errorf("after a restart: %+v; want pending: it is under its old name", p.Files[0])
	}
}
