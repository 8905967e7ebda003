package board_test

import (
	"os"
	"path/filepath"
	"testing"

	"redline/agent/decide/decidetest"
	"redline/agent/plan"
	"redline/agent/view"
)

// The disk shows whether a file was moved. An editor may keep the buffer of the new name when the
// move is undone, and show it to the next server before that has compared the files.
func TestAMoveThatWasCutOffShowsOnTheDisk(t *testing.T) {
	const before, after = "a\nb\nc\n", "a\nB\nc\n"
	for name, c := range map[string]struct {
		verdict    plan.Verdict
		old, moved string // the files that the killed server left, "" for none
		buffer     string // the text of moved.txt in the editor
		hunk       string // stale as long as the buffer is in the way of the move
		move       plan.FileStatus
		cause      plan.Cause
	}{
		"the undo is made":                       {plan.VerdictUndo, before, "", after, "stale", plan.FilePending, ""},
		"the undo is made, and a text besides":   {plan.VerdictUndo, before, "", "typed\n" + after, "stale", plan.FilePending, ""},
		"the undo moved it":                      {plan.VerdictUndo, after, "", after, "applied", plan.FilePending, plan.PartlyMade},
		"the undo changed the text":              {plan.VerdictUndo, "", after, before, "pending", plan.FileApplied, plan.PartlyMade},
		"the undo is not made":                   {plan.VerdictUndo, "", after, after, "applied", plan.FileApplied, plan.NotMade},
		"the approval is not made":               {plan.VerdictApprove, before, "", "new\n", "stale", plan.FilePending, plan.NotMade},
		"the approval is made":                   {plan.VerdictApprove, "", after, after, "applied", plan.FileApplied, ""},
		"the approval moved it without its edit": {plan.VerdictApprove, "", before, before, "pending", plan.FileApplied, plan.PartlyMade},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSession(t, map[string]string{"old.txt": before})
			p := s.Plan("move it", call("rename_file", map[string]any{"path": "old.txt", "new_path": "moved.txt"}), edit("moved.txt", "b\n", "B\n"))
			if c.verdict == plan.VerdictUndo {
				s.MustApprove(view.Request{Plan: 1, Hash: p.Hash})
			}
			s.Editor.OnApply = decidetest.Unanswered
			if c.verdict == plan.VerdictUndo {
				s.MustUndo(view.Request{Plan: 1})
			} else {
				s.MustApprove(view.Request{Plan: 1, Hash: p.Hash})
			}
			for name, text := range map[string]string{"old.txt": c.old, "moved.txt": c.moved} {
				if text != "" {
					s.Write(name, text)
				} else if err := os.Remove(filepath.Join(s.Dir, name)); err != nil && !os.IsNotExist(err) {
					t.Fatal(err)
				}
			}
			s.Kill()
			s.Workspace.Open(s.Workspace.URI("moved.txt"), "", 1, c.buffer)
			s.Must(s.Board.Follower.Recover(s.Context()))

			m := s.Stored().Progress.File(1, "old.txt")
			if m.Move != c.move || m.Cause != c.cause {
				t.Errorf("the move is %s (%s), want %s (%s)", m.Move, m.Cause, c.move, c.cause)
			}
			s.WantHunks(1, c.hunk)
			s.WantNothingUnfinished()

			// The same decision makes what is left of it.
			if c.moved != "" {
				s.Save("moved.txt")
			}
			s.Workspace.Close(s.Workspace.URI("moved.txt"))
			again, made := s.Undo, map[string]string{"old.txt": before, "moved.txt": ""}
			if c.verdict == plan.VerdictApprove {
				again, made = s.Approve, map[string]string{"old.txt": "", "moved.txt": after}
			}
			if c.cause != "" {
				_, err := again(s.Context(), view.Request{Plan: 1})
				s.Must(err)
			}
			for name, text := range made {
				s.WantFile(name, text)
			}
		})
	}
}
