package decide_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"redline/agent/decide/decidetest"
	"redline/agent/plan"
	"redline/agent/state"
	"redline/agent/view"
	"redline/edits"
)

func TestOneHunkIsTakenBackAndApprovedAgain(t *testing.T) {
	s := newSession(t, map[string]string{"shop.go": shop})
	p := s.PlanRename()
	s.MustApprove(view.Request{Plan: 1, Hash: p.Hash})
	r, err := s.Undo(s.Context(), view.Request{Plan: 1, Hunks: []string{"h1"}})
	if err != nil || r.State != "awaiting_approval" {
		t.Fatalf("%+v, %v", r, err)
	}
	s.WantFile("shop.go", replaceAll(shop, "return Total(1, 2)", "return Add(1, 2)"))
	s.WantHunks(1, "pending", "applied")
	_, err = s.Undo(s.Context(), view.Request{Plan: 1, Hunks: []string{"h1"}})
	s.WantRefused(err, plan.WrongState)
	s.MustApprove(view.Request{Plan: 1, Hash: p.Hash, Hunks: []string{"h1"}})
	if got := s.PlanNow(1).State; got != "completed" {
		t.Errorf("state %s, want completed", got)
	}
}

func TestUndoSkipsWhatWasChangedSinceOnlyWhenAsked(t *testing.T) {
	s := newSession(t, map[string]string{"shop.go": shop})
	p := s.PlanRename()
	s.MustApprove(view.Request{Plan: 1, Hash: p.Hash})
	after := replaceAll(shop, "func Total(", "func Plus(", "return Total(1, 2)", "return Add(1, 2)")
	s.Write("shop.go", after)
	_, err := s.Undo(s.Context(), view.Request{Plan: 1})
	s.WantRefused(err, plan.Stale)
	if _, err := s.Undo(s.Context(), view.Request{Plan: 1, SkipStale: true}); err != nil {
		t.Fatal(err)
	}
	s.WantFile("shop.go", replaceAll(shop, "func Total(", "func Plus("))
	s.WantHunks(1, "applied", "pending")
}

func TestWhatTheUserHasTakenBackIsNotAskedFor(t *testing.T) {
	s := newSession(t, map[string]string{"shop.go": shop})
	p := s.PlanRename()
	s.MustApprove(view.Request{Plan: 1, Hash: p.Hash})
	asked := len(s.Editor.Asked())
	s.Write("shop.go", shop)
	r, err := s.Undo(s.Context(), view.Request{Plan: 1})
	if err != nil || r.State != "awaiting_approval" || len(r.Files) != 1 || r.Files[0].Status != "pending" {
		t.Errorf("%+v, %v", r, err)
	}
	if n := len(s.Editor.Asked()) - asked; n != 0 {
		t.Errorf("the editor was asked for %d changes", n)
	}
	s.WantHunks(1, "pending", "pending")
}

func TestAnUndoThatIsRefusedHalfWaySaysWhatIsWhereAndGoesOn(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\n", "b.txt": "two\n", "c.txt": "three\n"})
	p := s.Plan("figures", edit("a.txt", "one", "1"), edit("b.txt", "two", "2"), edit("c.txt", "three", "3"))
	s.MustApprove(view.Request{Plan: 1, Hash: p.Hash})
	s.Editor.OnApply = func(c edits.Change) (edits.Applied, bool) {
		return edits.Applied{Path: c.Path, Status: edits.Refused, Reason: "it is locked"}, c.Path == "b.txt"
	}
	_, err := s.Undo(s.Context(), view.Request{Plan: 1})
	s.WantRefused(err, plan.ApplyFailed)
	const want = "b.txt was not changed: it is locked. Taken back: a.txt. Still applied: b.txt, c.txt; undo the plan again for the rest."
	if err == nil || err.Error() != want {
		t.Errorf("it says %v", err)
	}
	s.WantFile("a.txt", "one\n")
	s.WantFile("b.txt", "2\n")
	s.WantFile("c.txt", "3\n")
	var got []string
	for _, f := range s.PlanNow(1).Files {
		got = append(got, f.Status)
	}
	if strings.Join(got, " ") != "pending applied applied" {
		t.Errorf("the files are %v", got)
	}
	s.Editor.OnApply = nil
	if _, err := s.Undo(s.Context(), view.Request{Plan: 1}); err != nil {
		t.Fatal(err)
	}
	s.WantFile("b.txt", "two\n")
	s.WantFile("c.txt", "three\n")
}

func (s *session) wantFolder(name string, want bool) {
	s.t.Helper()
	if _, err := os.Stat(filepath.Join(s.Dir, name)); (err == nil) != want {
		s.t.Errorf("the folder %s: %v, want it there: %v", name, err, want)
	}
}

func TestFoldersThatWereMadeGoWhenTheyAreEmpty(t *testing.T) {
	made := func(t *testing.T) (*session, state.Plan) {
		s := newSession(t, map[string]string{"old.txt": "old\n", "has/other.txt": "other\n"})
		return s, s.Plan("folders", call("write_file", map[string]any{"path": "x/y/new.txt", "content": "new\n"}),
			call("write_file", map[string]any{"path": "x/z.txt", "content": "z\n"}),
			call("write_file", map[string]any{"path": "has/new.txt", "content": "new\n"}),
			call("rename_file", map[string]any{"path": "old.txt", "new_path": "v/w/moved.txt"}))
	}
	t.Run("after an undo", func(t *testing.T) {
		s, p := made(t)
		s.MustApprove(view.Request{Plan: 1, Hash: p.Hash})
		s.Restart()
		s.MustUndo(view.Request{Plan: 1})
		s.wantFolder("x", false)
		s.wantFolder("v", false)
		s.wantFolder("has", true)
	})
	t.Run("but not what the user has put something into", func(t *testing.T) {
		s, p := made(t)
		s.MustApprove(view.Request{Plan: 1, Hash: p.Hash})
		s.Write("x/mine.txt", "mine\n")
		s.MustUndo(view.Request{Plan: 1})
		s.wantFolder("x/y", false)
		s.WantFile("x/mine.txt", "mine\n")
	})
	t.Run("nor what was there before", func(t *testing.T) {
		s, p := made(t)
		if err := os.Mkdir(filepath.Join(s.Dir, "x"), 0o755); err != nil {
			t.Fatal(err)
		}
		s.MustApprove(view.Request{Plan: 1, Hash: p.Hash})
		s.MustUndo(view.Request{Plan: 1})
		s.wantFolder("x/y", false)
		s.wantFolder("x", true)
	})
	t.Run("when an approval is taken back", func(t *testing.T) {
		s, p := made(t)
		s.Editor.OnApply = func(c edits.Change) (edits.Applied, bool) {
			return edits.Applied{Path: c.Path, Status: edits.Refused, Reason: "no"}, c.Path == "old.txt"
		}
		_, err := s.Approve(s.Context(), view.Request{Plan: 1, Hash: p.Hash})
		s.WantRefused(err, plan.ApplyFailed)
		s.wantFolder("x", false)
	})
	t.Run("of an earlier revision", func(t *testing.T) {
		s, p := made(t)
		s.MustApprove(view.Request{Plan: 1, Hash: p.Hash, Paths: []string{"x/y/new.txt"}})
		p = s.Rework(edit("x/y/new.txt", "new", "newer"))
		s.MustApprove(view.Request{Plan: 1, Hash: p.Hash})
		s.MustUndo(view.Request{Plan: 1})
		s.wantFolder("x", false)
		s.wantFolder("v", false)
	})
}

func TestADeletedFileComesBackWithTheModeThatItHad(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no mode bits")
	}
	s := newSession(t, map[string]string{"run.sh": "#!/bin/sh\n", "a.txt": "a\n"})
	script := filepath.Join(s.Dir, "run.sh")
	p := s.Plan("tidy up", call("delete_file", map[string]any{"path": "run.sh"}), edit("a.txt", "a", "b"))
	if err := os.Chmod(script, 0o755); err != nil { // after it was proposed
		t.Fatal(err)
	}
	wantMode := func(what string) {
		t.Helper()
		if info, err := os.Stat(script); err != nil || info.Mode().Perm() != 0o755 {
			t.Errorf("%s: %v, %v", what, info, err)
		}
	}
	s.Editor.OnApply = func(c edits.Change) (edits.Applied, bool) {
		return edits.Applied{Path: c.Path, Status: edits.Refused, Reason: "it is locked"}, c.Path == "a.txt"
	}
	_, err := s.Approve(s.Context(), view.Request{Plan: 1, Hash: p.Hash})
	s.WantRefused(err, plan.ApplyFailed)
	wantMode("taken back")

	s.Editor.OnApply = nil
	s.MustApprove(view.Request{Plan: 1, Hash: p.Hash})
	s.WantFile("run.sh", "")
	s.Restart()
	if _, err := s.Undo(s.Context(), view.Request{Plan: 1}); err != nil {
		t.Fatal(err)
	}
	wantMode("undone")
}

// A half-made file is reported, and the other files are reverted.
func TestHalfAChangeTakesTheOtherFilesBack(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\n", "b.txt": "two\n", "c.txt": "three\n"})
	p := s.Plan("figures", edit("a.txt", "one", "1"), edit("b.txt", "two", "2"), edit("c.txt", "three", "3"))
	s.Editor.OnApply = func(c edits.Change) (edits.Applied, bool) {
		return edits.Applied{Path: c.Path, Status: edits.Half, Reason: "It is in the wrong lines of b.txt: undo it in the editor.",
			Landings: []edits.Landing{edits.Absent}}, c.Path == "b.txt"
	}
	_, err := s.Approve(s.Context(), view.Request{Plan: 1, Hash: p.Hash})
	s.WantRefused(err, plan.ApplyFailed)
	const want = "b.txt: It is in the wrong lines of b.txt: undo it in the editor. The other files of this approval are as they were."
	if err == nil || err.Error() != want {
		t.Errorf("the user reads %v, want %q", err, want)
	}
	s.WantFile("a.txt", "one\n")
	s.WantFile("c.txt", "three\n")
	if f := s.PlanNow(1).Files[1]; f.Status != "failed" || f.Hunks[0].Status != "pending" {
		t.Errorf("b.txt is %s, its hunk %s", f.Status, f.Hunks[0].Status)
	}
}

// The files of the current revision do not show whether an undo is possible: an edit of the preview
// makes a new revision, which is pending.
func TestAPlanSaysWhetherItCanBeUndone(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\n", "b.txt": "two\n"})
	p := s.Plan("figures", edit("a.txt", "one", "1"), edit("b.txt", "two", "2"))
	want := func(when, state string, undoable bool) {
		t.Helper()
		if got := s.PlanNow(1); got.State != state || got.Undoable != undoable {
			t.Errorf("%s: the plan is %s, undoable %v; want %s, %v", when, got.State, got.Undoable, state, undoable)
		}
	}
	want("at first", "awaiting_approval", false)
	s.MustApprove(view.Request{Plan: 1, Hash: p.Hash, Paths: []string{"a.txt"}})
	want("after an approval", "reviewing", true)
	s.edited("plans/0001-r1.md", decidetest.ReplaceIn(t, s.Preview("0001-r1.md"), "\n+2\n", "\n+3\n"))
	want("after an edit of the preview", "awaiting_approval", true)
	if _, err := s.Undo(s.Context(), view.Request{Plan: 1}); err != nil {
		t.Fatal(err)
	}
	want("after the undo", "awaiting_approval", false)
	s.Write("a.txt", "1\n") // by hand: there is nothing to undo
	want("made by hand", "awaiting_approval", false)
}

func TestARefusedUndoLeavesThePlanCompleted(t *testing.T) {
	s := newSession(t, map[string]string{"shop.go": shop})
	p := s.PlanRename()
	s.MustApprove(view.Request{Plan: 1, Hash: p.Hash})
	s.Editor.OnApply = func(c edits.Change) (edits.Applied, bool) {
		return edits.Applied{Path: c.Path, Status: edits.Refused, Reason: "no"}, true
	}
	_, err := s.Undo(s.Context(), view.Request{Plan: 1})
	s.WantRefused(err, plan.ApplyFailed)
	if got := s.PlanNow(1).State; got != "completed" {
		t.Errorf("state %s, want completed", got)
	}
}
