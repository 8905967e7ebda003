package decide

import (
	"fmt"
	"testing"

	"redline/agent/plan"
)

// Comments that a rework has sent do not count towards the limit, and are not kept without bound.
func TestDoneCommentsDoNotCount(t *testing.T) {
	p := &plan.Plan{}
	for i := range maxSent + 3 {
		p.Progress.Comments = append(p.Progress.Comments, plan.Comment{ID: fmt.Sprint(i), Done: i != 1})
	}
	if n := openIn(p); n != 1 || !HasOpen(p) {
		t.Errorf("%d are open", n)
	}
	if left := withoutOldest(p.Progress.Comments); len(left) != maxSent+1 || left[0].ID != "1" || left[1].ID != "3" {
		t.Errorf("%d are left: %+v", len(left), left[:2])
	}
}
