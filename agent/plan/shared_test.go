package plan_test

import (
	"slices"
	"testing"
	"time"

	"redline/agent/plan"
)

func TestWhatIsSaidOfElsewhere(t *testing.T) {
	const ada = "Ada <ada@example.org>"
	for _, test := range []struct {
		shared *plan.Shared
		want   []string
	}{
		{nil, nil},
		{&plan.Shared{}, []string{"Shared."}},
		{&plan.Shared{By: ada, Comments: 2, Revisions: []int{3}}, []string{"Shared by Ada: revision 3 and 2 comments are new."}},
		{&plan.Shared{By: "ada@example.org", Signature: "unsigned", Revisions: []int{3, 4}}, []string{"Shared by ada@example.org (unsigned): revisions 3 to 4 are new."}},
		{&plan.Shared{By: ada, Comments: 1, Decisions: []plan.Elsewhere{
			{By: ada, Verdict: plan.VerdictReject, Revision: 1}, {By: plan.AuthorUser, Verdict: plan.VerdictUndo, Revision: 1, Path: "a.txt"}, {By: ada, Verdict: plan.VerdictApprove, Revision: 2},
		}}, []string{
			"Shared by Ada: 1 comment is new.",
			"Elsewhere, Ada has decided to approve revision 2. That does not count here.",
			"Elsewhere, somebody has decided to undo a.txt of revision 1. That does not count here.",
		}},
	} {
		if got := test.shared.Sentences(); !slices.Equal(got, test.want) {
			t.Errorf("it says %q, want %q", got, test.want)
		}
	}
	many := plan.Shared{Decisions: make([]plan.Elsewhere, 1000), At: time.Now()}
	if n := len(many.Bounded().Decisions); n != 50 {
		t.Errorf("%d decisions are kept", n)
	}
}
