package decide_test

import (
	"strings"
	"testing"

	"redline/agent/decide"
	"redline/agent/state"
	"redline/agent/view"
)

// rollback goes back to a revision of plan 1, which must succeed.
func (s *session) rollback(revision int) state.Plan {
	s.t.Helper()
	p, err := s.Rollback(s.Context(), 1, revision, "")
	if err != nil {
		s.t.Fatal(err)
	}
	return p
}

// A file that was moved counts as moved in an earlier revision that moves it in the same way,
// whichever revision was current in between.
func TestRollbackKeepsAMoveThatIsApplied(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": nine, "c.txt": "c\n"})
	s.Plan("figures", call("rename_file", map[string]any{"path": "a.txt", "new_path": "b.txt"}), edit("b.txt", "two", "2"), edit("c.txt", "c", "C"))
	s.MustApprove(view.Request{Plan: 1, Paths: []string{"a.txt"}})
	s.MustStage(decide.Staging{Remove: []string{"o3"}})
	s.Write("b.txt", strings.NewReplacer("two", "2", "nine", "typed").Replace(nine))

	p := s.rollback(1)
	if len(p.Files) != 2 || p.Files[0].Status != "applied" || p.Files[1].Status != "pending" {
		t.Errorf("the files are %+v", p.Files)
	}
	s.MustUndo(view.Request{Plan: 1})
	s.WantFile("b.txt", "")
	s.WantFile("a.txt", strings.Replace(nine, "nine", "typed", 1))
}

// A change that is applied but unsaved is still watched after a rollback.
func TestRollbackKeepsWhatIsUnsaved(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\n", "c.txt": "c\n"})
	s.Plan("figures", edit("a.txt", "one", "1"), edit("c.txt", "c", "C"))
	s.Open("a.txt")
	s.Editor.OnApply = s.InBuffer
	s.MustApprove(view.Request{Plan: 1, Paths: []string{"a.txt"}})
	s.MustStage(decide.Staging{Remove: []string{"o2"}})
	s.rollback(1)
	b, _ := s.Workspace.Buffer("a.txt")
	s.Workspace.Close(b.URI) // without saving
	s.Until("h1 is pending again", func() bool { return s.PlanNow(1).Files[0].Hunks[0].Status == "pending" })
}
