package agent_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"redline/agent/decision"
	"redline/agent/refusal"
	"redline/agent/state"
	"redline/edits"
)

const shop = `package shop

func Total(a, b int) int { return a + b }

// text outside the BMP: 🛒𝔘

func Tax(a int) int { return a / 5 }

func Sum() int { return Total(1, 2) }
`

// renamed stages the rename of Total in two places: two hunks.
func renamed(s *session) state.Plan {
	s.model.stages(
		edit("shop.go", "func Total(", "func Add("),
		edit("shop.go", "return Total(1, 2)", "return Add(1, 2)"))
	return s.plan("rename Total to Add")
}

func TestAPlanIsShownApprovedAndUndone(t *testing.T) {
	s := newSession(t, map[string]string{"shop.go": shop})
	p := renamed(s)
	if p.State != "awaiting_approval" || len(p.Files) != 1 || len(p.Files[0].Hunks) != 2 {
		t.Fatalf("plan: %+v", p)
	}
	s.wantFile("shop.go", shop) // nothing before approval
	if n := s.ed.changed(); n != 0 {
		t.Fatalf("the editor was asked for %d changes before approval", n)
	}

	r := s.approve(decision.Request{Plan: p.Plan, Hash: p.Hash})
	if r.State != "completed" {
		t.Errorf("state %s, want completed", r.State)
	}
	after := replaceAll(shop, "func Total(", "func Add(", "return Total(1, 2)", "return Add(1, 2)")
	s.wantFile("shop.go", after)

	if r, err := s.agent.Undo(s.ctx(), decision.Request{Plan: p.Plan}); err != nil || r.State != "awaiting_approval" {
		t.Fatalf("undo: %+v, %v", r, err)
	}
	s.wantFile("shop.go", shop)
}

func TestOneHunkApprovedAloneAndTheOtherRejected(t *testing.T) {
	s := newSession(t, map[string]string{"shop.go": shop})
	p := renamed(s)
	second := p.Files[0].Hunks[1].ID
	if r := s.approve(decision.Request{Plan: 1, Hash: p.Hash, Hunks: []string{second}}); r.State != "reviewing" {
		t.Errorf("state %s, want reviewing", r.State)
	}
	s.wantFile("shop.go", replaceAll(shop, "return Total(1, 2)", "return Add(1, 2)"))

	_, err := s.agent.Approve(s.ctx(), decision.Request{Plan: 1, Hash: p.Hash, Hunks: []string{second}})
	s.wantRefused(err, refusal.WrongState)

	after, err := s.agent.Reject(s.ctx(), decision.Request{Plan: 1, Hash: p.Hash, Hunks: []string{p.Files[0].Hunks[0].ID}})
	if err != nil || after.State != "completed" {
		t.Errorf("after the last rejection: %s, %v; want completed", after.State, err)
	}
	s.wantFile("shop.go", replaceAll(shop, "return Total(1, 2)", "return Add(1, 2)"))
}

func TestRejectingEverythingCancels(t *testing.T) {
	s := newSession(t, map[string]string{"shop.go": shop})
	p := renamed(s)
	after, err := s.agent.Reject(s.ctx(), decision.Request{Plan: 1, Hash: p.Hash, Reason: "no"})
	if err != nil || after.State != "cancelled" {
		t.Errorf("%s, %v; want cancelled", after.State, err)
	}
	_, err = s.agent.Approve(s.ctx(), decision.Request{Plan: 1, Hash: p.Hash})
	s.wantRefused(err, refusal.WrongState)
	s.wantFile("shop.go", shop)
}

func TestAnApprovalBindsToWhatWasShown(t *testing.T) {
	s := newSession(t, map[string]string{"shop.go": shop})
	p := renamed(s)
	for _, d := range []decision.Request{
		{Plan: 1, Hash: "sha256:0000"},
		{Plan: 1, Revision: 2},
		{Plan: 1, Hash: p.Hash, Revision: 7},
	} {
		_, err := s.agent.Approve(s.ctx(), d)
		s.wantRefused(err, refusal.HashMismatch)
	}
	_, err := s.agent.Approve(s.ctx(), decision.Request{Plan: 9})
	s.wantRefused(err, refusal.NoSuchPlan)
	_, err = s.agent.Approve(s.ctx(), decision.Request{Plan: 1, Hunks: []string{"h99"}})
	s.wantRefused(err, refusal.Invalid)
	_, err = s.agent.Approve(s.ctx(), decision.Request{Plan: 1, Paths: []string{"other.go"}})
	s.wantRefused(err, refusal.Invalid)
	s.wantFile("shop.go", shop)
}

func TestHunksFollowTypingAndGoStale(t *testing.T) {
	s := newSession(t, map[string]string{"shop.go": shop})
	s.open("shop.go")
	p := renamed(s)
	s.typeAt("shop.go", "package shop", "// typed 🛒\n")
	s.typeAt("shop.go", "func Tax", "// more\n\n")
	moved := s.state1(1)
	if got, want := moved.Files[0].Line(1), p.Files[0].Line(1)+3; got != want {
		t.Errorf("the second hunk is at line %d, want %d", got, want)
	}
	s.typeAt("shop.go", "Total(a, b int)", "My")
	stale := s.state1(1)
	if got := stale.Files[0].Hunks[0].Status; got != "stale" {
		t.Fatalf("the touched hunk is %s, want stale", got)
	}
	_, err := s.agent.Approve(s.ctx(), decision.Request{Plan: 1, Hash: p.Hash})
	s.wantRefused(err, refusal.Stale)
	if refusal := new(refusal.Error); errors.As(err, &refusal) && !slices.Equal(refusal.Hunks, []string{"h1"}) {
		t.Errorf("the refusal names %v, want h1", refusal.Hunks)
	}
	if n := s.ed.changed(); n != 0 {
		t.Errorf("a refused approval sent %d changes", n)
	}
}

// Where nothing is left but what is stale, leaving that out is refused for it,
// and not as if all were decided.
func TestNothingButStaleIsRefusedAsStale(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": nine})
	s.model.stages(edit("a.txt", "two", "2"))
	s.plan("figures")
	s.open("a.txt")
	s.typeAt("a.txt", "wo\n", "x")
	_, err := s.agent.Approve(s.ctx(), decision.Request{Plan: 1, SkipStale: true})
	s.wantRefused(err, refusal.Stale)
	if err == nil || !strings.Contains(err.Error(), "(hunk h1). Rework the plan.") {
		t.Errorf("the user reads %v", err)
	}
}

func TestAllFilesLandOrNoneStays(t *testing.T) {
	files := map[string]string{"a.txt": "one\n", "b.txt": "two\n", "c.txt": "three\n"}
	s := newSession(t, files)
	s.model.stages(
		edit("a.txt", "one", "1"), edit("b.txt", "two", "2"), edit("c.txt", "three", "3"),
		call("write_file", map[string]any{"path": "0.txt", "content": "zero\n"}))
	p := s.plan("number them")
	s.ed.apply = func(c edits.Change) (edits.Applied, bool) {
		return edits.Applied{Path: c.Path, Status: edits.Refused, Reason: "the editor is busy"}, c.Path == "c.txt"
	}
	_, err := s.agent.Approve(s.ctx(), decision.Request{Plan: 1, Hash: p.Hash})
	s.wantRefused(err, refusal.ApplyFailed)
	for name, text := range files {
		s.wantFile(name, text)
	}
	s.wantFile("0.txt", "")
	if got := s.state1(1).State; got != "awaiting_approval" {
		t.Errorf("state %s, want awaiting_approval", got)
	}

	s.ed.apply = nil
	if r := s.approve(decision.Request{Plan: 1, Hash: p.Hash}); r.State != "completed" {
		t.Errorf("state %s, want completed", r.State)
	}
	s.wantFile("c.txt", "3\n")
	s.wantFile("0.txt", "zero\n")
}

func TestCreateDeleteAndRename(t *testing.T) {
	s := newSession(t, map[string]string{"old.txt": "text\n", "gone.txt": "bye\n"})
	s.model.stages(
		call("write_file", map[string]any{"path": "sub/new.txt", "content": "new\n"}),
		call("delete_file", map[string]any{"path": "gone.txt"}),
		call("rename_file", map[string]any{"path": "old.txt", "new_path": "moved.txt"}),
		edit("moved.txt", "text", "TEXT"))
	p := s.plan("reorder")
	s.approve(decision.Request{Plan: 1, Hash: p.Hash})
	s.wantFile("sub/new.txt", "new\n")
	s.wantFile("gone.txt", "")
	s.wantFile("old.txt", "")
	s.wantFile("moved.txt", "TEXT\n")
	if got := s.state1(1).State; got != "completed" {
		t.Errorf("state %s, want completed", got)
	}
	if _, err := s.agent.Undo(s.ctx(), decision.Request{Plan: 1}); err != nil {
		t.Fatal(err)
	}
	s.wantFile("sub/new.txt", "")
	s.wantFile("gone.txt", "bye\n")
	s.wantFile("old.txt", "text\n")
	s.wantFile("moved.txt", "")
}

func TestACreationIsNeverOverAnExistingFile(t *testing.T) {
	s := newSession(t, nil)
	s.model.stages(call("write_file", map[string]any{"path": "new.txt", "content": "mine\n"}))
	p := s.plan("make new.txt")
	s.writeFile("new.txt", "yours\n")
	_, err := s.agent.Approve(s.ctx(), decision.Request{Plan: 1, Hash: p.Hash})
	s.wantRefused(err, refusal.Stale)
	s.wantFile("new.txt", "yours\n")
}

func TestUndoLeavesWhatWasTypedSince(t *testing.T) {
	s := newSession(t, map[string]string{"shop.go": shop})
	p := renamed(s)
	s.approve(decision.Request{Plan: 1, Hash: p.Hash})
	after := replaceAll(shop, "func Total(", "func Add(", "return Total(1, 2)", "return Add(1, 2)")
	s.writeFile("shop.go", "// typed\n"+after+"// end\n")
	if _, err := s.agent.Undo(s.ctx(), decision.Request{Plan: 1}); err != nil {
		t.Fatal(err)
	}
	s.wantFile("shop.go", "// typed\n"+shop+"// end\n")

	s.approve(decision.Request{Plan: 1, Hash: p.Hash})
	s.writeFile("shop.go", replaceAll(after, "func Add(", "func Plus("))
	_, err := s.agent.Undo(s.ctx(), decision.Request{Plan: 1})
	s.wantRefused(err, refusal.Stale)
	s.wantFile("shop.go", replaceAll(after, "func Add(", "func Plus("))
}

// A refusal names what was asked for.
func TestARejectionThatIsRefusedSaysSo(t *testing.T) {
	s := newSession(t, map[string]string{"shop.go": shop})
	p := renamed(s)
	s.approve(decision.Request{Plan: 1, Hash: p.Hash})
	_, err := s.agent.Reject(s.ctx(), decision.Request{Plan: 1})
	s.wantRefused(err, refusal.WrongState)
	if want := "Plan 1: the plan cannot be rejected: it is completed, undo it or ask for a new plan"; err == nil || err.Error() != want {
		t.Errorf("the user reads %q, want %q", err, want)
	}
}
