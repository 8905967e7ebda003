package agent

import "fmt"

// RefusalKind says why a decision was refused; clients see it as data.kind.
type RefusalKind string

// The kinds of refusals.
const (
	HashMismatch   RefusalKind = "hash_mismatch"   // it is another revision now than the one that was decided on: look again
	Stale          RefusalKind = "stale"           // the text of what is decided on was changed since
	WrongState     RefusalKind = "wrong_state"     // the plan, or what is named of it, is not in a state in which this can be done
	NoSuchPlan     RefusalKind = "no_such_plan"    // the workspace has no plan of this number
	ApplyFailed    RefusalKind = "apply_failed"    // the editor or the disk did not make the changes; what was made is taken back
	UnsavedPreview RefusalKind = "unsaved_preview" // the preview of the plan has changes that are not saved
	NotAllowed     RefusalKind = "not_allowed"     // commands were not allowed, or a rule of the user's own denies one; or Redline is shutting down
	Busy           RefusalKind = "busy"            // something else is at it: a file is unsaved elsewhere, the plan is being carried out or worked on, or too many messages wait
	Invalid        RefusalKind = "invalid"         // the argument is wrong
)

// Refusal is the answer to a decision or request that cannot be carried out.
// Nothing was changed, except that one of the kind apply_failed says what stays
// changed, if anything does. Its text is for the user.
type Refusal struct {
	Kind   RefusalKind
	Reason string
	Hunks  []string // stale: the hunks concerned
}

func (r *Refusal) Error() string { return r.Reason }

func refuse(kind RefusalKind, format string, args ...any) error {
	return &Refusal{Kind: kind, Reason: fmt.Sprintf(format, args...)}
}
