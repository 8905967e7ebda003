package agent

import "fmt"

// RefusalKind says why a decision was refused; clients see it as data.kind.
type RefusalKind string

// The kinds of refusals.
const (
	HashMismatch   RefusalKind = "hash_mismatch"
	Stale          RefusalKind = "stale"
	WrongState     RefusalKind = "wrong_state"
	NoSuchPlan     RefusalKind = "no_such_plan"
	ApplyFailed    RefusalKind = "apply_failed"
	UnsavedPreview RefusalKind = "unsaved_preview"
	NotAllowed     RefusalKind = "not_allowed"
	Busy           RefusalKind = "busy"
	Invalid        RefusalKind = "invalid"
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
