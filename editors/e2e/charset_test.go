package e2e

import (
	"path/filepath"
	"testing"
)

// TestCharset shows that a file in Latin-1 stays in Latin-1: the editor saves the one that it has
// open, and Redline writes the other.
func TestCharset(t *testing.T) {
	rule := func(w *world, _ string) {
		w.write(filepath.Join(w.dir, ".editorconfig"), "root = true\n[*.go]\ncharset = latin1\n")
	}
	eachEditor(t, "greet caf\xe9\ntwo\n", []string{"a.go", "b.go"}, rule, func(t *testing.T, s *session, _ string) {
		s.plan("rename greet to salué in *.go", "a.go")
		state, refusal := s.answer(s.request("redline.approve", `{"plan":1}`))
		if state != "completed" {
			t.Errorf("the answer is %q %q", state, refusal)
		}
		s.w.awaitText("b.go", "salu\xe9 caf\xe9\ntwo\n") // before the editor saves anything
		s.saved("a.go", "salu\xe9 caf\xe9\ntwo\n")
		state, refusal = s.answer(s.request("redline.undo", `{"plan":1}`))
		if state != "awaiting_approval" {
			t.Errorf("the undo's answer is %q %q", state, refusal)
		}
		for _, name := range []string{"a.go", "b.go"} {
			s.saved(name, "greet caf\xe9\ntwo\n")
		}
	})
}
