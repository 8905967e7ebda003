package decide_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"redline/agent/decide/decidetest"
	"redline/agent/plan"
	"redline/agent/view"
	"redline/edits"
)

func TestAPlanIsShownApprovedAndUndone(t *testing.T) {
	s := newSession(t, map[string]string{"shop.go": shop})
	p := s.PlanRename()
	if p.State != "awaiting_approval" || len(p.Files) != 1 || len(p.Files[0].Hunks) != 2 {
		t.Fatalf("plan: %+v", p)
	}
	s.WantFile("shop.go", shop) // nothing before approval
	if n := len(s.Editor.Asked()); n != 0 {
		t.Fatalf("the editor was asked for %d changes before approval", n)
	}

	r := s.MustApprove(view.Request{Plan: p.Plan, Hash: p.Hash})
	if r.State != "completed" {
		t.Errorf("state %s, want completed", r.State)
	}
	after := replaceAll(shop, "func Total(", "func Add(", "return Total(1, 2)", "return Add(1, 2)")
	s.WantFile("shop.go", after)

	if r, err := s.Undo(s.Context(), view.Request{Plan: p.Plan}); err != nil || r.State != "awaiting_approval" {
		t.Fatalf("undo: %+v, %v", r, err)
	}
	s.WantFile("shop.go", shop)
}

func TestOneHunkApprovedAloneAndTheOtherRejected(t *testing.T) {
	s := newSession(t, map[string]string{"shop.go": shop})
	p := s.PlanRename()
	second := p.Files[0].Hunks[1].ID
	if r := s.MustApprove(view.Request{Plan: 1, Hash: p.Hash, Hunks: []string{second}}); r.State != "reviewing" {
		t.Errorf("state %s, want reviewing", r.State)
	}
	s.WantFile("shop.go", replaceAll(shop, "return Total(1, 2)", "return Add(1, 2)"))

	_, err := s.Approve(s.Context(), view.Request{Plan: 1, Hash: p.Hash, Hunks: []string{second}})
	s.WantRefused(err, plan.WrongState)

	after, err := s.Reject(s.Context(), view.Request{Plan: 1, Hash: p.Hash, Hunks: []string{p.Files[0].Hunks[0].ID}})
	if err != nil || after.State != "completed" {
		t.Errorf("after the last rejection: %s, %v; want completed", after.State, err)
	}
	s.WantFile("shop.go", replaceAll(shop, "return Total(1, 2)", "return Add(1, 2)"))
}

func TestRejectingEverythingCancels(t *testing.T) {
	s := newSession(t, map[string]string{"shop.go": shop})
	p := s.PlanRename()
	after, err := s.Reject(s.Context(), view.Request{Plan: 1, Hash: p.Hash, Reason: "no"})
	if err != nil || after.State != "cancelled" {
		t.Errorf("%s, %v; want cancelled", after.State, err)
	}
	_, err = s.Approve(s.Context(), view.Request{Plan: 1, Hash: p.Hash})
	s.WantRefused(err, plan.WrongState)
	s.WantFile("shop.go", shop)
}

func TestAnApprovalBindsToWhatWasShown(t *testing.T) {
	s := newSession(t, map[string]string{"shop.go": shop})
	p := s.PlanRename()
	for _, d := range []view.Request{
		{Plan: 1, Hash: "sha256:0000"},
		{Plan: 1, Revision: 2},
		{Plan: 1, Hash: p.Hash, Revision: 7},
	} {
		_, err := s.Approve(s.Context(), d)
		s.WantRefused(err, plan.HashMismatch)
	}
	_, err := s.Approve(s.Context(), view.Request{Plan: 9})
	s.WantRefused(err, plan.NoSuchPlan)
	_, err = s.Approve(s.Context(), view.Request{Plan: 1, Hunks: []string{"h99"}})
	s.WantRefused(err, plan.Invalid)
	_, err = s.Approve(s.Context(), view.Request{Plan: 1, Paths: []string{"other.go"}})
	s.WantRefused(err, plan.Invalid)
	s.WantFile("shop.go", shop)
}

func TestHunksFollowTypingAndGoStale(t *testing.T) {
	s := newSession(t, map[string]string{"shop.go": shop})
	s.Open("shop.go")
	p := s.PlanRename()
	s.TypeAt("shop.go", "package shop", "// typed 🛒\n")
	s.TypeAt("shop.go", "func Tax", "// more\n\n")
	moved := s.PlanNow(1)
	if got, want := moved.Files[0].Line(1), p.Files[0].Line(1)+3; got != want {
		t.Errorf("the second hunk is at line %d, want %d", got, want)
	}
	s.TypeAt("shop.go", "Total(a, b int)", "My")
	stale := s.PlanNow(1)
	if got := stale.Files[0].Hunks[0].Status; got != "stale" {
		t.Fatalf("the touched hunk is %s, want stale", got)
	}
	_, err := s.Approve(s.Context(), view.Request{Plan: 1, Hash: p.Hash})
	s.WantRefused(err, plan.Stale)
	if refusal := new(plan.Refusal); errors.As(err, &refusal) && !slices.Equal(refusal.Hunks, []string{"h1"}) {
		t.Errorf("the refusal names %v, want h1", refusal.Hunks)
	}
	if n := len(s.Editor.Asked()); n != 0 {
		t.Errorf("a refused approval sent %d changes", n)
	}
}

// If only stale hunks are left, skipping those is refused as stale, not as if everything were
// decided.
func TestNothingButStaleIsRefusedAsStale(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": nine})
	s.Plan("figures", edit("a.txt", "two", "2"))
	s.Open("a.txt")
	s.TypeAt("a.txt", "wo\n", "x")
	_, err := s.Approve(s.Context(), view.Request{Plan: 1, SkipStale: true})
	s.WantRefused(err, plan.Stale)
	if err == nil || !strings.Contains(err.Error(), "(hunk h1). Rework the plan.") {
		t.Errorf("the user reads %v", err)
	}
}

func TestAllFilesLandOrNoneStays(t *testing.T) {
	files := map[string]string{"a.txt": "one\n", "b.txt": "two\n", "c.txt": "three\n"}
	s := newSession(t, files)
	p := s.Plan("number them", edit("a.txt", "one", "1"), edit("b.txt", "two", "2"), edit("c.txt", "three", "3"),
		call("write_file", map[string]any{"path": "0.txt", "content": "zero\n"}))
	s.Editor.OnApply = func(c edits.Change) (edits.Applied, bool) {
		return edits.Applied{Path: c.Path, Status: edits.Refused, Reason: "the editor is busy"}, c.Path == "c.txt"
	}
	_, err := s.Approve(s.Context(), view.Request{Plan: 1, Hash: p.Hash})
	s.WantRefused(err, plan.ApplyFailed)
	for name, text := range files {
		s.WantFile(name, text)
	}
	s.WantFile("0.txt", "")
	if got := s.PlanNow(1).State; got != "awaiting_approval" {
		t.Errorf("state %s, want awaiting_approval", got)
	}

	s.Editor.OnApply = nil
	if r := s.MustApprove(view.Request{Plan: 1, Hash: p.Hash}); r.State != "completed" {
		t.Errorf("state %s, want completed", r.State)
	}
	s.WantFile("c.txt", "3\n")
	s.WantFile("0.txt", "zero\n")
}

func TestCreateDeleteAndRename(t *testing.T) {
	s := newSession(t, map[string]string{"old.txt": "text\n", "gone.txt": "bye\n"})
	p := s.Plan("reorder", call("write_file", map[string]any{"path": "sub/new.txt", "content": "new\n"}),
		call("delete_file", map[string]any{"path": "gone.txt"}),
		call("rename_file", map[string]any{"path": "old.txt", "new_path": "moved.txt"}),
		edit("moved.txt", "text", "TEXT"))
	s.MustApprove(view.Request{Plan: 1, Hash: p.Hash})
	s.WantFile("sub/new.txt", "new\n")
	s.WantFile("gone.txt", "")
	s.WantFile("old.txt", "")
	s.WantFile("moved.txt", "TEXT\n")
	if got := s.PlanNow(1).State; got != "completed" {
		t.Errorf("state %s, want completed", got)
	}
	if _, err := s.Undo(s.Context(), view.Request{Plan: 1}); err != nil {
		t.Fatal(err)
	}
	s.WantFile("sub/new.txt", "")
	s.WantFile("gone.txt", "bye\n")
	s.WantFile("old.txt", "text\n")
	s.WantFile("moved.txt", "")
}

func TestACreationIsNeverOverAnExistingFile(t *testing.T) {
	s := newSession(t, nil)
	p := s.Plan("make new.txt", call("write_file", map[string]any{"path": "new.txt", "content": "mine\n"}))
	s.Write("new.txt", "yours\n")
	_, err := s.Approve(s.Context(), view.Request{Plan: 1, Hash: p.Hash})
	s.WantRefused(err, plan.Stale)
	s.WantFile("new.txt", "yours\n")
}

func TestUndoLeavesWhatWasTypedSince(t *testing.T) {
	s := newSession(t, map[string]string{"shop.go": shop})
	p := s.PlanRename()
	s.MustApprove(view.Request{Plan: 1, Hash: p.Hash})
	after := replaceAll(shop, "func Total(", "func Add(", "return Total(1, 2)", "return Add(1, 2)")
	s.Write("shop.go", "// typed\n"+after+"// end\n")
	if _, err := s.Undo(s.Context(), view.Request{Plan: 1}); err != nil {
		t.Fatal(err)
	}
	s.WantFile("shop.go", "// typed\n"+shop+"// end\n")

	s.MustApprove(view.Request{Plan: 1, Hash: p.Hash})
	s.Write("shop.go", replaceAll(after, "func Add(", "func Plus("))
	_, err := s.Undo(s.Context(), view.Request{Plan: 1})
	s.WantRefused(err, plan.Stale)
	s.WantFile("shop.go", replaceAll(after, "func Add(", "func Plus("))
}

// The refusal of a rejection speaks of rejecting.
func TestARejectionThatIsRefusedSaysSo(t *testing.T) {
	s := newSession(t, map[string]string{"shop.go": shop})
	p := s.PlanRename()
	s.MustApprove(view.Request{Plan: 1, Hash: p.Hash})
	_, err := s.Reject(s.Context(), view.Request{Plan: 1})
	s.WantRefused(err, plan.WrongState)
	if want := "Plan 1: the plan cannot be rejected: it is completed; undo it, or ask for a new plan"; err == nil || err.Error() != want {
		t.Errorf("the user reads %q, want %q", err, want)
	}
}

func TestApprovingAgainBeforeTheAnswerSendsNothing(t *testing.T) {
	s := newSession(t, map[string]string{"shop.go": shop})
	s.Open("shop.go")
	p := s.PlanRename()
	s.Editor.OnApply = decidetest.Unanswered
	s.MustApprove(view.Request{Plan: 1, Hash: p.Hash})
	_, err := s.Approve(s.Context(), view.Request{Plan: 1, Hash: p.Hash})
	s.WantRefused(err, plan.Busy)
	if n := len(s.Editor.Asked()); n != 1 {
		t.Errorf("the edit was sent %d times, want once", n)
	}
}
