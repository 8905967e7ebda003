package decide_test

import (
	"strings"
	"testing"

	"redline/agent/decide/decidetest"
	"redline/agent/view"
)

// A plan with a text that is larger than limits.max_file, which a copy has carried into it, is decided on as
// any other: in the session that made it and in later ones, with its file open, and while the user types.
func TestCarried(t *testing.T) {
	const end = "the end\n"
	filler := strings.Repeat("0123456789abcde\n", 9<<16) // 9 MiB
	text := "one\n" + filler + end
	want := strings.Replace(text, end, "THE END\n", 1)
	all, one := view.Request{Plan: 1}, view.Request{Plan: 1, Paths: []string{"large.txt"}}
	for name, now := range map[string]func(*decidetest.Session){
		"at once":          func(*decidetest.Session) {},
		"after a restart":  func(s *decidetest.Session) { s.Restart() },
		"of a dead server": func(s *decidetest.Session) { s.Kill(); s.Must(s.Board.Follower.Recover(s.Context())) },
	} {
		t.Run(name, func(t *testing.T) {
			s := decidetest.New(t, map[string]string{"large.txt": text, "moves.txt": text, "other.txt": text})
			s.Workspace.Carry("large.txt", text)
			s.Workspace.Carry("moves.txt", text)
			s.Workspace.Carry("there.txt", text)
			s.Plan("shout", decidetest.Edit("large.txt", end, "THE END\n"), decidetest.NewCall("rename_file", map[string]any{"path": "moves.txt", "new_path": "there.txt"}))
			now(s)
			s.WantHunks(1, "pending")
			if _, err := s.Workspace.Read("other.txt"); err == nil {
				t.Error("a file that no plan has may be as large")
			}

			s.MustApprove(all)
			if s.Read("large.txt") != want || s.Read("there.txt") != text {
				t.Error("the approval left other texts")
			}
			s.MustUndo(all)
			if s.Read("large.txt") != text || s.Read("moves.txt") != text {
				t.Error("the undo left other texts")
			}

			s.Open("large.txt")
			if len(s.Workspace.Unsaved()) > 0 {
				t.Error("a file that was opened as it is on disk counts as unsaved")
			}
			s.TypeAt("large.txt", "one", "typed ")
			s.WantHunks(1, "pending")
			s.Editor.OnApply = s.InBuffer
			s.MustApprove(one)
			if s.Text("large.txt") != "typed "+want {
				t.Error("the approval left another text in the editor")
			}
			s.MustUndo(one)
			if s.Text("large.txt") != "typed "+text {
				t.Error("the undo left another text in the editor")
			}
		})
	}
}
