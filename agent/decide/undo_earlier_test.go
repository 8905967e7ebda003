package decide_test

import (
	"strings"
	"testing"

	"redline/agent/decide/decidetest"
	"redline/agent/plan"
	"redline/agent/view"
)

func TestUndoReachesWhatEarlierRevisionsApplied(t *testing.T) {
	t.Run("and what the current one did", func(t *testing.T) {
		s := newSession(t, map[string]string{"a.txt": nine, "b.txt": "b\n"})
		p := s.Plan("figures", edit("a.txt", "two", "2"), edit("a.txt", "eight", "8"))
		s.MustApprove(view.Request{Plan: 1, Hash: p.Hash, Hunks: []string{"h1"}})
		p = s.Rework(edit("a.txt", "five", "5"), edit("b.txt", "b", "B"))
		s.MustApprove(view.Request{Plan: 1, Hash: p.Hash})
		s.WantFile("a.txt", replaceAll(nine, "two", "2", "five", "5", "eight", "8"))
		s.Write("a.txt", "// typed\n"+replaceAll(nine, "two", "2", "five", "5", "eight", "8")+"// end\n")
		asked := len(s.Editor.Asked())
		if r := s.MustUndo(view.Request{Plan: 1}); r.State != "awaiting_approval" {
			t.Errorf("state %s", r.State)
		}
		if n := len(s.Editor.Asked()) - asked; n != 2 {
			t.Errorf("the editor was asked for %d changes, want one for each file", n)
		}
		s.WantFile("a.txt", "// typed\n"+nine+"// end\n")
		s.WantFile("b.txt", "b\n")
		if got := s.PlanNow(1).Earlier; len(got) != 0 {
			t.Errorf("still applied of earlier revisions: %v", got)
		}
		_, err := s.Undo(s.Context(), view.Request{Plan: 1})
		s.WantRefused(err, plan.WrongState)
	})
	t.Run("before the current one is approved", func(t *testing.T) {
		s := newSession(t, map[string]string{"a.txt": nine})
		p := s.Plan("figures", edit("a.txt", "two", "2"), edit("a.txt", "eight", "8"))
		s.MustApprove(view.Request{Plan: 1, Hash: p.Hash, Hunks: []string{"h1"}})
		p = s.Rework(edit("a.txt", "five", "5"))
		s.Restart()
		s.MustUndo(view.Request{Plan: 1, Hunks: []string{"h1"}})
		s.WantFile("a.txt", nine)
		// The proposal does not depend on what was undone.
		s.MustApprove(view.Request{Plan: 1, Hash: p.Hash})
		s.WantFile("a.txt", replaceAll(nine, "five", "5", "eight", "8"))
	})
	t.Run("of a file that the current one leaves alone", func(t *testing.T) {
		s := newSession(t, map[string]string{"a.txt": nine, "b.txt": "b\n"})
		p := s.Plan("figures", edit("a.txt", "two", "2"), edit("b.txt", "b", "B"))
		s.MustApprove(view.Request{Plan: 1, Hash: p.Hash, Hunks: []string{"h1"}})
		s.Rework(edit("a.txt", "2", "two"), edit("a.txt", "five", "5"))
		s.MustUndo(view.Request{Plan: 1, Paths: []string{"a.txt"}})
		s.WantFile("a.txt", nine)
	})
	t.Run("files made and moved", func(t *testing.T) {
		s := newSession(t, map[string]string{"old.txt": nine, "gone.txt": "bye\n", "c.txt": "c\n"})
		p := s.Plan("reorder", call("write_file", map[string]any{"path": "sub/new.txt", "content": "new\n"}),
			call("delete_file", map[string]any{"path": "gone.txt"}),
			call("rename_file", map[string]any{"path": "old.txt", "new_path": "moved.txt"}),
			edit("moved.txt", "two", "2"), edit("c.txt", "c", "C"))
		for _, path := range []string{"sub/new.txt", "gone.txt", "old.txt"} {
			s.MustApprove(view.Request{Plan: 1, Hash: p.Hash, Paths: []string{path}})
		}
		p = s.Rework(edit("moved.txt", "five", "5"), edit("sub/new.txt", "new", "newer"))
		s.MustApprove(view.Request{Plan: 1, Hash: p.Hash})
		s.WantFile("moved.txt", replaceAll(nine, "two", "2", "five", "5"))
		s.WantFile("sub/new.txt", "newer\n")
		s.MustUndo(view.Request{Plan: 1})
		s.WantFile("old.txt", nine)
		s.WantFile("moved.txt", "")
		s.WantFile("sub/new.txt", "")
		s.WantFile("gone.txt", "bye\n")
		s.WantFile("c.txt", "c\n")
	})
}

func TestUndoOfAnEarlierRevisionNamesWhatWasChangedSince(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": nine})
	p := s.Plan("figures", edit("a.txt", "two", "2"), edit("a.txt", "four", "4"), edit("a.txt", "eight", "8"))
	s.MustApprove(view.Request{Plan: 1, Hash: p.Hash, Hunks: []string{"h1", "h2"}})
	s.Rework(edit("a.txt", "six", "6"))
	s.Write("a.txt", replaceAll(nine, "two", "2!", "four", "4"))
	_, err := s.Undo(s.Context(), view.Request{Plan: 1})
	s.WantRefused(err, plan.Stale)
	if err == nil || !strings.Contains(err.Error(), "hunk h1 of plan 1") {
		t.Errorf("it says %v", err)
	}
	s.WantFile("a.txt", replaceAll(nine, "two", "2!", "four", "4"))
	s.MustUndo(view.Request{Plan: 1, SkipStale: true})
	s.WantFile("a.txt", replaceAll(nine, "two", "2!"))
	if got := s.PlanNow(1).Earlier; len(got) != 1 || got["h1"] == "" {
		t.Errorf("still applied of earlier revisions: %v, want h1", got)
	}
}

func TestUndoOfAFileThatOnlyAnEarlierRevisionTouches(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": nine, "b.txt": "b\n"})
	p := s.Plan("figures", edit("a.txt", "two", "2"), edit("b.txt", "b", "B"))
	s.MustApprove(view.Request{Plan: 1, Hash: p.Hash, Hunks: []string{"h1"}})
	p = s.Rework(edit("a.txt", "five", "5"), edit("a.txt", "5", "five"))
	if len(p.Files) != 1 || p.Files[0].Path != "b.txt" || p.Earlier["h1"] != "a.txt" {
		t.Fatalf("revision 2 has %+v, and earlier %v", p.Files, p.Earlier)
	}
	// No answer leaves the outcome open; the text shows it the next time.
	s.Editor.OnApply = decidetest.Unanswered
	if r := s.MustUndo(view.Request{Plan: 1}); r.Files[0].Path != "a.txt" || r.Files[0].Status != "applied" {
		t.Errorf("decidetest.Unanswered: %+v", r)
	}
	s.Editor.OnApply = nil
	r := s.MustUndo(view.Request{Plan: 1})
	if len(r.Files) != 1 || r.Files[0].Path != "a.txt" || r.Files[0].Status != "pending" || r.State != "awaiting_approval" {
		t.Errorf("%+v", r)
	}
	s.WantFile("a.txt", nine)
	s.MustApprove(view.Request{Plan: 1, Hash: p.Hash})
	s.WantFile("a.txt", nine)
	s.WantFile("b.txt", "B\n")
}
