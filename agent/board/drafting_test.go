package board_test

import (
	"testing"

	"redline/agent/board"
	"redline/agent/decide/decidetest"
)

// What a turn has staged is shown with its new lines, for clients that draw it. A plan's are asked for
// by document, because a plan is sent with each change of it.
func TestDraftHasItsNewLines(t *testing.T) {
	s := decidetest.New(t, map[string]string{"a.txt": "one\ntwo\nthree\n"})
	p := s.Plan("figures", decidetest.Edit("a.txt", "one", "1\nand a half"), decidetest.Edit("a.txt", "three\n", ""))
	for _, h := range p.Files[0].Hunks {
		if h.NewText != nil {
			t.Errorf("the plan's %s has the text %q", h.ID, *h.NewText)
		}
	}
	d, err := s.Board.DraftState(s.Context(), board.NewRevision{Plan: s.Stored()}, "t1")
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, h := range d.Files[0].Hunks {
		if h.NewText == nil {
			t.Fatalf("%s has no text", h.ID)
		}
		texts = append(texts, *h.NewText)
	}
	if len(texts) != 2 || texts[0] != "1\nand a half\n" || texts[1] != "" {
		t.Errorf("the texts are %q", texts)
	}
}
