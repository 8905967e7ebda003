package agent

import (
	"testing"

	"redline/agent/plan"
	"redline/agent/view"
)

// The texts of the session that an execution is worked out from must be those
// that the revision names, those of earlier revisions too.
func TestOtherTextsThanThoseShownAreRefused(t *testing.T) {
	change := plan.Change{Path: "a", Base: plan.BlobOf("one"), Proposed: plan.BlobOf("two")}
	with := func(p part) *checked {
		return &checked{execution: &execution{parts: []part{p}}, held: &heldPlan{number: 1}}
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
		f := &view.File{Change: &change, Base: c.base, Proposed: c.proposed, Standing: view.Standing{Outside: c.outside}}
		if err := with(part{file: f}).textsAsShown(); (err == nil) != c.ok {
			t.Errorf("%s: %v", c.what, err)
		}
		past := pastPart{Earlier: &view.Earlier{Change: &change, Base: c.base, Proposed: c.proposed}}
		x := with(part{file: &view.File{Standing: view.Standing{Outside: true}}, past: []pastPart{past}})
		if err := x.textsAsShown(); (err == nil) != (c.ok && !c.outside) {
			t.Errorf("%s, of an earlier revision: %v", c.what, err)
		}
	}
}
