package board_test

import (
	"strings"
	"testing"

	"redline/agent/view"
	"redline/edits"
)

// Whatever an editor opens, closes or saves is reconciled: it shows whether applied changes are
// still there, and the outcome of changes that nobody could see.

// landsIn applies plan 1 in the open buffer and leaves that unsaved.
func landsIn(t *testing.T, text string) (s *session, uri, changed string) {
	s = newSession(t, map[string]string{"shop.go": text})
	s.Open("shop.go")
	p := s.PlanRename()
	s.Editor.OnApply = s.InBuffer
	if r := s.MustApprove(view.Request{Plan: 1, Hash: p.Hash}); r.State != "completed" {
		t.Fatalf("state %s, want completed", r.State)
	}
	b, _ := s.Workspace.Buffer("shop.go")
	return s, b.URI, b.Lines.Text()
}

func TestSavedAndClosedStaysApplied(t *testing.T) {
	s, uri, changed := landsIn(t, shop)
	s.Write("shop.go", changed)
	s.Workspace.Saved(uri, nil)
	s.Workspace.Close(uri)
	s.AwaitSaved("shop.go")
	s.WantHunks(1, "applied", "applied")
	s.Open("shop.go")
	s.Restart()
	s.WantHunks(1, "applied", "applied")
}

// Some editors report that they close a document, but not that they saved it.
func TestSavedWithoutAWordAndClosedStaysApplied(t *testing.T) {
	s, uri, changed := landsIn(t, shop)
	s.Write("shop.go", changed)
	s.Workspace.Close(uri)
	s.AwaitSaved("shop.go")
	s.WantHunks(1, "applied", "applied")
}

func TestClosedUnsavedAndOpenedAgain(t *testing.T) {
	t.Run("without the change", func(t *testing.T) {
		s, uri, _ := landsIn(t, shop)
		s.Workspace.Close(uri)
		s.AwaitState(1, "awaiting_approval")
		s.Open("shop.go")
		s.Editor.OnApply = nil
		if got := s.PlanNow(1); got.State != "awaiting_approval" || got.Files[0].Status != "pending" {
			t.Errorf("the plan is %s, its file %s", got.State, got.Files[0].Status)
		}
	})
	t.Run("with the change", func(t *testing.T) {
		s, uri, changed := landsIn(t, shop)
		s.Workspace.Close(uri)
		s.AwaitState(1, "awaiting_approval")
		s.Workspace.Open(uri, "", 1, changed)
		s.AwaitState(1, "completed")
	})
	t.Run("with the change, which an editor has kept through its own end", func(t *testing.T) {
		s, uri, changed := landsIn(t, shop)
		s.Restart()
		s.WantHunks(1, "pending", "pending")
		s.Workspace.Open(uri, "", 1, changed)
		s.AwaitState(1, "completed")
		s.WantHunks(1, "applied", "applied")
	})
	t.Run("with one of two changes", func(t *testing.T) {
		s, uri, _ := landsIn(t, shop)
		s.Workspace.Close(uri)
		s.AwaitState(1, "awaiting_approval")
		s.Workspace.Open(uri, "", 1, strings.Replace(shop, "func Total(", "func Add(", 1))
		s.AwaitState(1, "reviewing")
		s.WantHunks(1, "applied", "pending")
	})
}

// unseen is an OnApply of an editor whose change cannot be seen.
func unseen(c edits.Change) (edits.Applied, bool) {
	return edits.Applied{Path: c.Path, Status: edits.Unverified, Reason: "nobody can see it"}, true
}

func TestWhatNobodyCouldSeeIsSettled(t *testing.T) {
	begin := func(t *testing.T) (s *session, changed string) {
		s = newSession(t, map[string]string{"shop.go": shop})
		p := s.PlanRename()
		s.Editor.OnApply = unseen
		s.MustApprove(view.Request{Plan: 1, Hash: p.Hash})
		if got := s.PlanNow(1).Files[0].Status; got != "unverified" {
			t.Fatalf("the file is %s, want unverified", got)
		}
		return s, strings.ReplaceAll(shop, "Total(", "Add(")
	}
	t.Run("when it is opened with the change", func(t *testing.T) {
		s, changed := begin(t)
		s.Workspace.Open(s.Workspace.URI("shop.go"), "", 1, changed)
		s.AwaitState(1, "completed")
		s.WantHunks(1, "applied", "applied")
	})
	t.Run("when it is opened without it", func(t *testing.T) {
		s, _ := begin(t)
		s.Open("shop.go")
		s.awaitTold(1, 0, "pending", "the editor did not make the change")
		s.WantHunks(1, "pending", "pending")
	})
	t.Run("when it is opened with another text", func(t *testing.T) {
		s, _ := begin(t)
		s.Workspace.Open(s.Workspace.URI("shop.go"), "", 1, "package shop\n")
		s.awaitTold(1, 0, "stale", "its lines were changed since it was proposed")
		s.WantHunks(1, "stale", "stale")
	})
	t.Run("when it is opened with the change and saved", func(t *testing.T) {
		s, changed := begin(t)
		s.Workspace.Open(s.Workspace.URI("shop.go"), "", 1, changed)
		s.Save("shop.go")
		s.AwaitState(1, "completed")
		s.AwaitSaved("shop.go")
	})
	t.Run("when it is closed", func(t *testing.T) {
		s, changed := begin(t)
		uri := s.Workspace.URI("shop.go")
		s.Write("shop.go", changed) // saved by an editor that does not report it
		s.Workspace.Open(uri, "", 1, changed)
		s.Workspace.Close(uri)
		s.AwaitState(1, "completed")
	})
	t.Run("when it comes to the disk", func(t *testing.T) {
		s, changed := begin(t)
		s.watch()
		s.Write("shop.go", changed)
		s.awaitTold(1, 0, "applied", "")
	})
}

// A part of an applied change that is undone by hand and saved is pending again; the rest stays
// applied.
func TestAPartUndoneByHandAndSavedIsPending(t *testing.T) {
	s, _, changed := landsIn(t, shop)
	s.Retype("shop.go", strings.Replace(changed, "func Add(", "func Total(", 1))
	s.Save("shop.go")
	s.AwaitState(1, "awaiting_approval")
	s.WantHunks(1, "pending", "applied")
}
