package e2e

import "testing"

// TestByteOrderMark shows that a byte order mark is in a file once, whatever is
// done to its first line: in the file that is shown and in one that the editor
// opens for the edit. The editors take it away and put it back.
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
