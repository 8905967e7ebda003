package plan

import "time"

// Verdict is what was decided.
type Verdict string

// The verdicts.
const (
	VerdictApprove Verdict = "approve"
	VerdictReject  Verdict = "reject"
	VerdictUndo    Verdict = "undo"
	VerdictReview  Verdict = "review" // put into the editor's own review: the user approved what they let through there
)

// Decision is one decision on a plan, as it is kept for good. It is bound to
// a revision by its hash. With no Path, Hunks or Operation it is about the
// whole plan.
type Decision struct {
	Plan      int
	Revision  int
	Hash      string // approval hash of what was decided on
	Verdict   Verdict
	Path      string   // the file decided on, or several with commas
	Hunks     []string // the hunks decided on
	Stale     []string // hunks that it would have been about, and left out since they were stale
	Operation string   // the operation decided on
	Commands  []string // of an approval: ids of the commands that it allows to be run
	Reason    string   // the user's own words
	Who       string   // "user", or the rule of the user's configuration that decided
	Client    string   // the program the decision came from
	At        time.Time
}
