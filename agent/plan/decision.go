package plan

import "time"

// Verdict is the kind of a decision.
type Verdict string

// The verdicts.
const (
	VerdictApprove Verdict = "approve"
	VerdictReject  Verdict = "reject"
	VerdictUndo    Verdict = "undo"
	VerdictReview  Verdict = "review" // put into the editor's own review: the user approved what they accepted there
)

// Decision is one decision on a plan, as stored for good. Its hash binds it to a
// revision. Without Path, Hunks and Operation it is about the whole plan.
type Decision struct {
	Plan      int
	Revision  int
	Hash      string // approval hash of what was decided on
	Verdict   Verdict
	Path      string   // the file decided on, or several with commas
	Hunks     []string // the hunks decided on
	Stale     []string // hunks left out because they were stale
	Operation string   // the operation decided on
	Commands  []string // of an approval: ids of the commands that it allows to run
	Trials    []string // ids of trials: of an approval those that were current, of a rejection that ends the plan all
	Reason    string   // the user's own words
	Who       string   // "user", or the rule of the user's configuration that decided
	Client    string   // the program the decision came from
	At        time.Time
}
