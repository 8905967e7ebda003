package decide_test

import (
	"strings"
	"testing"

	"redline/agent/decide"
	"redline/agent/decide/decidetest"
	"redline/agent/plan"
	"redline/agent/view"
)

// proposed returns the text that plan 1 proposes for a file.
func proposed(s *session, path string) string {
	for _, f := range s.Board.Seen(s.Board.Held(1)).Files {
		if f.Change.Path == path {
			text, _ := f.ProposedNow()
			return text
		}
	}
	return ""
}

// editText edits the proposed text of a file of plan 1, at its current revision.
func editText(t *testing.T, s *session, path string, pairs ...string) (decide.TextEdit, error) {
	t.Helper()
	was, p := proposed(s, path), s.PlanNow(1)
	e := decide.TextEdit{Plan: 1, Revision: p.Revision, Hash: p.Hash, Path: path, Was: &was, Text: decidetest.ReplaceIn(t, was, pairs...)}
	_, err := s.EditText(s.Context(), e)
	return e, err
}

// An edit of a proposed text becomes a revision by the user, with another hash. Unchanged hunks keep
// their ids and the decisions on them.
func TestEditedTextIsARevision(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": nine, "b.txt": nine})
	before := s.Plan("figures", edit("a.txt", "one", "1"), edit("a.txt", "five", "5"), edit("a.txt", "nine", "9"), edit("b.txt", "two", "2"))
	s.MustApprove(view.Request{Plan: 1, Hash: before.Hash, Hunks: []string{"h1"}})
	if _, err := s.Reject(s.Context(), view.Request{Plan: 1, Hunks: []string{"h3"}}); err != nil {
		t.Fatal(err)
	}
	s.Open("a.txt")
	s.TypeAt("a.txt", "three", "typed\n")
	if _, err := editText(t, s, "a.txt", "5\n", "five and\na half\n", "seven\n", "VII\n"); err != nil {
		t.Fatal(err)
	}
	p := s.PlanNow(1)
	if got, want := decidetest.Hunks(p), "a.txt:h1:applied a.txt:h5:pending a.txt:h6:pending a.txt:h3:rejected b.txt:h4:pending"; got != want {
		t.Errorf("hunks %s, want %s", got, want)
	}
	last := p.Revisions[len(p.Revisions)-1]
	if p.State != "awaiting_approval" || p.Revision != 2 || last.Author != "user" || last.Note != "in a.txt" || p.Hash == before.Hash {
		t.Errorf("%s, %+v", p.State, last)
	}
	want := "1\ntwo\ntyped\nthree\nfour\nfive and\na half\nsix\nVII\neight\nnine\n"
	if got := proposed(s, "a.txt"); got != want {
		t.Errorf("proposed %q, want %q", got, want)
	}
	_, err := s.Approve(s.Context(), view.Request{Plan: 1, Hash: before.Hash})
	s.WantRefused(err, plan.HashMismatch)
	s.Save("a.txt")
	s.MustApprove(view.Request{Plan: 1, Hash: p.Hash})
	s.WantFile("a.txt", want)
}

// What was typed in the file while the proposed text was edited is no part of the edit.
func TestEditedTextLeavesWhatWasTyped(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": nine})
	s.Plan("figures", edit("a.txt", "one", "1"))
	was := proposed(s, "a.txt")
	s.Open("a.txt")
	s.TypeAt("a.txt", "five", "typed\n")
	text := decidetest.ReplaceIn(t, was, "1\n", "I\n")
	p, err := s.EditText(s.Context(), decide.TextEdit{Plan: 1, Revision: 1, Path: "a.txt", Was: &was, Text: text})
	if err != nil || decidetest.Hunks(p) != "a.txt:h2:pending" {
		t.Fatalf("%v %v", p, err)
	}
	if got, want := proposed(s, "a.txt"), decidetest.ReplaceIn(t, text, "five", "typed\nfive"); got != want {
		t.Errorf("proposed %q, want %q", got, want)
	}
}

// A file that the plan creates, and one that it moves.
func TestEditedTextOfNewAndMovedFiles(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": nine})
	s.Plan("move", decidetest.NewCall("write_file", map[string]any{"path": "new.txt", "content": "x\ny\n"}),
		decidetest.NewCall("rename_file", map[string]any{"path": "a.txt", "new_path": "b.txt"}), edit("b.txt", "one", "1"))
	for path, pair := range map[string][]string{"new.txt": {"y\n", "z\n"}, "a.txt": {"two\n", "2\n"}} {
		if _, err := editText(t, s, path, pair...); err != nil {
			t.Fatal(path, err)
		}
	}
	s.MustApprove(view.Request{Plan: 1})
	s.WantFile("new.txt", "x\nz\n")
	s.WantFile("b.txt", "1\n2\n"+strings.TrimPrefix(nine, "one\ntwo\n"))
}

// What makes no revision: the same text, an old revision, and what the plan does not allow.
func TestEditedTextThatIsRefused(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": nine, "b.txt": nine, "c.txt": nine, "d.txt": nine})
	s.Plan("figures", edit("a.txt", "one", "1"), edit("d.txt", "five", "5"), edit("d.txt", "nine", "9"), decidetest.NewCall("delete_file", map[string]any{"path": "b.txt"}))
	s.Open("a.txt")
	s.TypeAt("a.txt", "three", "typed\n")
	was, first := proposed(s, "a.txt"), s.PlanNow(1)
	if p, err := s.EditText(s.Context(), decide.TextEdit{Plan: 1, Revision: 1, Path: "a.txt", Text: was}); err != nil || p.Revision != 1 {
		t.Errorf("the same text: %d %v", p.Revision, err)
	}
	if p, err := s.EditText(s.Context(), decide.TextEdit{Plan: 1, Revision: 1, Path: "a.txt", Text: strings.ReplaceAll(was, "\n", "\r\n"), Was: new(strings.ReplaceAll(was, "\n", "\r\n"))}); err != nil || p.Revision != 1 {
		t.Errorf("the same text, with other line ends: %d %v", p.Revision, err)
	}
	refused := func(name string, kind plan.RefusalKind, why string, e decide.TextEdit) {
		t.Helper()
		e.Plan = 1
		_, err := s.EditText(s.Context(), e)
		s.WantRefused(err, kind)
		if err != nil && !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v, want %q", name, err, why)
		}
	}
	changed := decidetest.ReplaceIn(t, was, "1\n", "I\n")
	refused("an old revision", plan.HashMismatch, "you edited revision 7", decide.TextEdit{Revision: 7, Path: "a.txt", Text: changed})
	refused("another hash", plan.HashMismatch, "look at it again", decide.TextEdit{Revision: 1, Hash: "x", Path: "a.txt", Text: changed})
	refused("a file of another plan", plan.Invalid, "does not change c.txt", decide.TextEdit{Revision: 1, Path: "c.txt", Text: "x"})
	refused("a deletion", plan.Invalid, "is deleted as a whole", decide.TextEdit{Revision: 1, Path: "b.txt", Text: "x"})
	refused("bytes", plan.Invalid, "not text", decide.TextEdit{Revision: 1, Path: "a.txt", Text: "\x00"})
	refused("a large one", plan.Invalid, "limits.max_file", decide.TextEdit{Revision: 1, Path: "a.txt", Text: strings.Repeat("x\n", 10<<20)})
	refused("what was typed", plan.Invalid, "Line 3 of a.txt", decide.TextEdit{Revision: 1, Path: "a.txt", Text: strings.Replace(was, "typed\n", "TYPED\n", 1)})
	s.MustApprove(view.Request{Plan: 1, Hash: first.Hash, Hunks: []string{"h2"}})
	refused("what is applied", plan.Invalid, "is applied already", decide.TextEdit{Revision: 1, Path: "d.txt", Text: decidetest.ReplaceIn(t, proposed(s, "d.txt"), "5\n", "V\n")})
	if p := s.PlanNow(1); p.Revision != 1 {
		t.Errorf("revision %d", p.Revision)
	}
	if _, err := s.Reject(s.Context(), view.Request{Plan: 1}); err != nil {
		t.Fatal(err)
	}
	refused("a decided plan", plan.WrongState, "", decide.TextEdit{Revision: 1, Path: "a.txt", Text: changed})
}
