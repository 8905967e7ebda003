package pages

import (
	"testing"

	"redline/agent/view"
)

// An approval without a revision means the one that was shown. It is refused if there is a
// newer one; a plan that was never shown cannot be decided on.
func TestApprovalMeansWhatWasShown(t *testing.T) {
	s := NewShown(func(int, int, string) {})
	d := view.Request{Plan: 1}
	if s.Bind(&d) {
		t.Error("a plan that was never shown was bound")
	}
	s.Note(1, 2, "h2")
	if !s.Bind(&d) || d.Revision != 2 || d.Hash != "h2" {
		t.Errorf("got %+v", d)
	}
	named := view.Request{Plan: 1, Revision: 1}
	if !s.Bind(&named) || named.Hash != "" || named.Revision != 1 {
		t.Errorf("what was named was replaced: %+v", named)
	}
}
