package board_test

import (
	"slices"
	"testing"

	"redline/agent/plan"
	"redline/agent/view"
)

// ProposedNow returns the text that an approval of all hunks that are not stale makes, byte for
// byte.
func TestProposedNowIsWhatAnApprovalMakes(t *testing.T) {
	s := newSession(t, map[string]string{
		"mixed.txt": "one\r\ntwo\nthree\nfour\nfive\nsix",
		"gone.txt":  "bye\n", "old.txt": "a\nb\n",
	})
	p := s.Plan("do it", edit("mixed.txt", "one", "ONE"), edit("mixed.txt", "three\n", ""), edit("mixed.txt", "four\n", "4\nand a half\n"),
		edit("mixed.txt", "six", "SIX\nseven"),
		call("delete_file", map[string]any{"path": "gone.txt"}), call("write_file", map[string]any{"path": "new.txt", "content": "new"}),
		call("rename_file", map[string]any{"path": "old.txt", "new_path": "sub/new.txt"}), edit("sub/new.txt", "b", "B"))
	s.Open("mixed.txt")
	s.TypeAt("mixed.txt", "two", "and\n")
	s.TypeAt("mixed.txt", "six", "x")

	proposed := map[string]string{}
	for _, f := range s.Board.Snapshot().Plans[0].Files {
		text, stale := f.ProposedNow()
		proposed[f.Change.Path] = text
		if want := f.Change.Path == "mixed.txt"; want != slices.Equal(stale, []string{"h4"}) {
			t.Errorf("%s leaves out %q", f.Change.Path, stale)
		}
	}
	s.Save("mixed.txt")
	s.Workspace.Close(s.Workspace.URI("mixed.txt"))
	s.MustApprove(view.Request{Plan: 1, Hash: p.Hash, SkipStale: true})
	for _, f := range s.Board.Snapshot().Plans[0].Files {
		if f.Change.Action == plan.Delete {
			s.WantFile(f.Change.Path, "")
			continue
		}
		if got := f.Live.Text(); got != proposed[f.Change.Path] {
			t.Errorf("%s is %q, and was shown as %q", f.Path, got, proposed[f.Change.Path])
		}
		if text, _ := f.ProposedNow(); text != f.Live.Text() {
			t.Errorf("%s has nothing left to propose, and is shown as %q", f.Path, text)
		}
	}
}
