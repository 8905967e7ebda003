package plan

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"redline/internal/phrase"
	"redline/workspace"
)

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
	Way       string   // of an approval: how it came about, as in approval.ways
	Through   string   // the editor whose server carries it out for Client, "" if that does so itself
	Handover  int64    // the handover of the store by which that server got it, 0 for none
	At        time.Time
}

// History is everything stored about one plan.
type History struct {
	*Plan
	Decisions  []Decision // oldest first
	Executions []Execution
}

// Execution is one run of an approval or an undo.
type Execution struct {
	Verdict           Verdict
	Started, Finished time.Time // UTC; Finished is zero while the result is unknown
	Outcome           State     // the state of the plan afterwards
}

// The ratings that have words.
const (
	RatedBad  = 1
	RatedGood = 5
)

// ParseRating reads a rating as a user writes it: good, bad, or a number from 1 (bad) to 5 (good).
func ParseRating(word string) (rating int, ok bool) {
	switch word = strings.ToLower(word); {
	case word == "good":
		return RatedGood, true
	case word == "bad":
		return RatedBad, true
	case len(word) == 1 && word[0] >= '0'+RatedBad && word[0] <= '0'+RatedGood:
		return int(word[0] - '0'), true
	}
	return 0, false
}

// RefusalKind says why something was refused; clients see it as data.kind.
type RefusalKind string

// The kinds of refusals.
const (
	HashMismatch   RefusalKind = "hash_mismatch"   // it is another revision now than the one that was decided on: look again
	Stale          RefusalKind = "stale"           // the text of what is decided on was changed since
	WrongState     RefusalKind = "wrong_state"     // the plan, or what is named of it, is not in a state in which this can be done
	NoSuchPlan     RefusalKind = "no_such_plan"    // the workspace has no plan of this number
	ApplyFailed    RefusalKind = "apply_failed"    // the editor or the disk did not make the changes, and what was made is taken back; or the plan database cannot take the decision (its disk is full, it cannot be written, it is damaged), and nothing was changed
	UnsavedPreview RefusalKind = "unsaved_preview" // the preview of the plan has changes that are not saved
	NotAllowed     RefusalKind = "not_allowed"     // commands were not allowed, or a rule of the user's own denies one; or the machine's policy or the user's settings allow no approval in this way; or Redline is shutting down
	Busy           RefusalKind = "busy"            // something else is at it: a file is unsaved elsewhere, the plan is being carried out or worked on, another process holds the plan database, or too many messages wait
	Invalid        RefusalKind = "invalid"         // the argument is wrong
)

// Refusal refuses a decision or request of a user or a client: the kind is for programs, the reason
// tells the user what happened and what to do: "Plan 3 is at revision 2 now: look at it again."
// Nothing was changed, except with the kind apply_failed, whose reason says what stays changed.
type Refusal struct {
	Kind   RefusalKind
	Reason string
	Hunks  []string // the hunks concerned, if the kind is stale
}

func (r *Refusal) Error() string { return r.Reason }

// WholeSentence makes [phrase.SentenceOf] leave the text as it is.
func (r *Refusal) WholeSentence() bool { return true }

// Refuse returns a refusal with a formatted reason.
func Refuse(kind RefusalKind, format string, args ...any) error {
	return &Refusal{Kind: kind, Reason: fmt.Sprintf(format, args...)}
}

// RefusalOf returns the refusal to send to the client for an error: the error itself if it is a
// refusal, or one made from a failure of the plan database or the disk. For any other
// error, which is a fault of the program, ok is false.
func RefusalOf(err error) (r *Refusal, ok bool) {
	if r, ok := errors.AsType[*Refusal](err); ok {
		return r, true
	}
	kind := failureKind(err)
	if kind == "" {
		return nil, false
	}
	return &Refusal{Kind: kind, Reason: phrase.Sentence(err.Error())}, true
}

// Failure is an error that says as what a request is refused that meets it, such as a plan
// database that is in use. Its text is the middle of a sentence.
type Failure struct {
	Kind RefusalKind
	Text string
}

func (f *Failure) Error() string { return f.Text }

// failureKind returns the kind for a [Failure] or a failure of the disk, "" for any other
// error.
func failureKind(err error) RefusalKind {
	if f, ok := errors.AsType[*Failure](err); ok {
		return f.Kind
	}
	_, file := errors.AsType[*fs.PathError](err)
	_, refused := errors.AsType[*workspace.Refusal](err)
	if file || refused {
		return ApplyFailed
	}
	return ""
}
