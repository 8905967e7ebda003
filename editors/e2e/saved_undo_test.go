package e2e

import "testing"

// TestSavedUndo reverts an approved change with the editor's own undo: once that is saved the
// change is pending again, and once it is redone and saved it is applied.
func TestSavedUndo(t *testing.T) {
	eachOf(t, append(sessionEditors[:len(sessionEditors):len(sessionEditors)], neovim10), "greet\ntwo\n", []string{"a.go"}, nil, func(t *testing.T, s *session, _ string) {
		s.plan("rename greet to salute in *.go", "a.go")
		if state, refusal := s.answer(s.request("redline.approve", `{"plan":1}`)); state != "completed" {
			t.Errorf("the answer is %q %q", state, refusal)
		}
		s.saved("a.go", "salute\ntwo\n")
		s.w.wantPlan("completed", "applied")
		s.write("u")
		s.shows("greet")
		s.saved("a.go", "greet\ntwo\n")
		s.w.wantPlan("awaiting_approval", "pending")
		if s.helix {
			s.write("U")
		} else {
			s.press("C-r")
		}
		s.shows("salute")
		s.saved("a.go", "salute\ntwo\n")
		s.w.wantHunks("applied")
	})
}
