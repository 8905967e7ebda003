package decide

import (
	"testing"

	"redline/agent/board"
	"redline/agent/plan"
	"redline/agent/view"
)

// The session's texts that an execution is computed from must be those that the revision
// names, including those of earlier revisions.
func TestOtherTextsThanThoseShownAreRefused(t *testing.T) {
	change := plan.Change{Path: "a", Base: plan.BlobOf("one"), Proposed: plan.BlobOf("two")}
	with := func(p view.Part) *checked {
		return &checked{Intent: board.Intent{Parts: []view.Part{p}}, held: board.NewHeld(&plan.Plan{Number: 1}, nil)}
	}
	for _, c := range []struct {
		what           string
		base, proposed string
		outside, ok    bool
	}{
		{"as shown", "one", "two", false, true},
		{"another base", "1", "two", false, false},
		{"another proposed text", "one", "2", false, false},
		{"of an undo only", "", "", true, true},
	} {
		f := &view.File{Standing: view.Standing{Change: &change, Base: c.base, Proposed: c.proposed, Outside: c.outside}}
		if err := with(view.Part{File: f}).textsAsShown(); (err == nil) != c.ok {
			t.Errorf("%s: %v", c.what, err)
		}
		past := view.EarlierPart{Earlier: &view.Earlier{Change: &change, Base: c.base, Proposed: c.proposed}}
		x := with(view.Part{File: &view.File{Standing: view.Standing{Outside: true}}, Earlier: []view.EarlierPart{past}})
		if err := x.textsAsShown(); (err == nil) != (c.ok && !c.outside) {
			t.Errorf("%s, of an earlier revision: %v", c.what, err)
		}
	}
}
