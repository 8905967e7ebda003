package e2e

import "testing"

// TestByteOrderMark shows that a file has its byte order mark exactly once, whatever changes its
// first line: in an open file and in one that the editor opens for the edit. The editors remove the
// mark when they read a file and restore it when they write.
func TestByteOrderMark(t *testing.T) {
	const mark = "\ufeff"
	eachEditor(t, mark+"greet one\r\ntwo\r\n", []string{"a.go", "b.go"}, nil, func(t *testing.T, s *session, _ string) {
		s.plan("rename greet to salute in *.go", "a.go")
		state, refusal := s.answer(s.request("redline.approve", `{"plan":1}`))
		if state != "completed" {
			t.Errorf("the answer is %q %q", state, refusal)
		}
		for _, name := range []string{"a.go", "b.go"} {
			s.saved(name, mark+"salute one\r\ntwo\r\n")
		}
		state, refusal = s.answer(s.request("redline.undo", `{"plan":1}`))
		if state != "awaiting_approval" {
			t.Errorf("the undo's answer is %q %q", state, refusal)
		}
		for _, name := range []string{"a.go", "b.go"} {
			s.saved(name, mark+"greet one\r\ntwo\r\n")
		}
	})
}
