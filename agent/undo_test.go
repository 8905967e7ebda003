package agent_test

import (
	"strings"
	"testing"

	"redline/agent"
	"redline/edits"
)

func TestOneHunkIsTakenBackAndApprovedAgain(t *testing.T) {
	s := newSession(t, map[string]string{"shop.go": shop})
	p := renamed(s)
	s.approve(agent.Decide{Plan: 1, Hash: p.Hash})
	r, err := s.agent.Undo(s.ctx(), agent.Decide{Plan: 1, Hunks: []string{"h1"}})
	if err != nil || r.State != "awaiting_approval" {
		t.Fatalf("%+v, %v", r, err)
	}
	s.wantFile("shop.go", replaceAll(shop, "return Total(1, 2)", "return Add(1, 2)"))
	s.wantHunks(1, "pending", "applied")
	_, err = s.agent.Undo(s.ctx(), agent.Decide{Plan: 1, Hunks: []string{"h1"}})
	s.wantRefused(err, agent.WrongState)
	s.approve(agent.Decide{Plan: 1, Hash: p.Hash, Hunks: []string{"h1"}})
	if got := s.state1(1).State; got != "completed" {
		t.Errorf("state %s, want completed", got)
	}
}

func TestUndoSkipsWhatWasChangedSinceOnlyWhenAsked(t *testing.T) {
	s := newSession(t, map[string]string{"shop.go": shop})
	p := renamed(s)
	s.approve(agent.Decide{Plan: 1, Hash: p.Hash})
	after := replaceAll(shop, "func Total(", "func Plus(", "return Total(1, 2)", "return Add(1, 2)")
	s.writeFile("shop.go", after)
	_, err := s.agent.Undo(s.ctx(), agent.Decide{Plan: 1})
	s.wantRefused(err, agent.Stale)
	if _, err := s.agent.Undo(s.ctx(), agent.Decide{Plan: 1, SkipStale: true}); err != nil {
		t.Fatal(err)
	}
	s.wantFile("shop.go", replaceAll(shop, "func Total(", "func Plus("))
	s.wantHunks(1, "applied", "pending")
}

func TestWhatTheUserHasTakenBackIsNotAskedFor(t *testing.T) {
	s := newSession(t, map[string]string{"shop.go": shop})
	p := renamed(s)
	s.approve(agent.Decide{Plan: 1, Hash: p.Hash})
	asked := s.ed.changed()
	s.writeFile("shop.go", shop)
	r, err := s.agent.Undo(s.ctx(), agent.Decide{Plan: 1})
	if err != nil || r.State != "awaiting_approval" || len(r.Files) != 1 || r.Files[0].Status != "pending" {
		t.Errorf("%+v, %v", r, err)
	}
	if n := s.ed.changed() - asked; n != 0 {
		t.Errorf("the editor was asked for %d changes", n)
	}
	s.wantHunks(1, "pending", "pending")
}

func TestAnUndoThatIsRefusedHalfWaySaysWhatIsWhereAndGoesOn(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\n", "b.txt": "two\n", "c.txt": "three\n"})
	s.model.stages(edit("a.txt", "one", "1"), edit("b.txt", "two", "2"), edit("c.txt", "three", "3"))
	p := s.plan("figures")
	s.approve(agent.Decide{Plan: 1, Hash: p.Hash})
	s.ed.apply = func(c edits.Change) (edits.Applied, bool) {
		return edits.Applied{Path: c.Path, Status: edits.Refused, Reason: "it is locked"}, c.Path == "b.txt"
	}
	_, err := s.agent.Undo(s.ctx(), agent.Decide{Plan: 1})
	s.wantRefused(err, agent.ApplyFailed)
	const want = "b.txt was not changed: it is locked. Taken back: a.txt. Still applied: b.txt, c.txt; undo the plan again for the rest."
	if err == nil || err.Error() != want {
		t.Errorf("it says %v", err)
	}
	s.wantFile("a.txt", "one\n")
	s.wantFile("b.txt", "2\n")
	s.wantFile("c.txt", "3\n")
	var got []string
	for _, f := range s.state1(1).Files {
		got = append(got, f.Status)
	}
	if strings.Join(got, " ") != "pending applied applied" {
		t.Errorf("the files are %v", got)
	}
	s.ed.apply = nil
	if _, err := s.agent.Undo(s.ctx(), agent.Decide{Plan: 1}); err != nil {
		t.Fatal(err)
	}
	s.wantFile("b.txt", "two\n")
	s.wantFile("c.txt", "three\n")
}
