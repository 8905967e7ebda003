package agent

import (
	"errors"
	"fmt"
	"io/fs"
	"unicode"
	"unicode/utf8"

	"redline/agent/store"
	"redline/workspace"
)

// RefusalKind says why a decision was refused; clients see it as data.kind.
type RefusalKind string

// The kinds of refusals.
const (
	HashMismatch   RefusalKind = "hash_mismatch"   // it is another revision now than the one that was decided on: look again
	Stale          RefusalKind = "stale"           // the text of what is decided on was changed since
	WrongState     RefusalKind = "wrong_state"     // the plan, or what is named of it, is not in a state in which this can be done
	NoSuchPlan     RefusalKind = "no_such_plan"    // the workspace has no plan of this number
	ApplyFailed    RefusalKind = "apply_failed"    // the editor or the disk did not make the changes, and what was made is taken back; or the plan database cannot take the decision (its disk is full, it cannot be written, it is damaged), and nothing was changed
	UnsavedPreview RefusalKind = "unsaved_preview" // the preview of the plan has changes that are not saved
	NotAllowed     RefusalKind = "not_allowed"     // commands were not allowed, or a rule of the user's own denies one; or Redline is shutting down
	Busy           RefusalKind = "busy"            // something else is at it: a file is unsaved elsewhere, the plan is being carried out or worked on, another process holds the plan database, or too many messages wait
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

// AsRefusal returns the refusal to send to the client for an error of a command: the
// error itself if it is one, or one made from a failure of the plan database or of the
// disk. ok is false for an error of the program itself.
func AsRefusal(err error) (r *Refusal, ok bool) {
	if r, ok := errors.AsType[*Refusal](err); ok {
		return r, true
	}
	kind := failureKind(err)
	if kind == "" {
		return nil, false
	}
	text := err.Error()
	first, size := utf8.DecodeRuneInString(text)
	if first != utf8.RuneError && text[0] != '/' {
		text = string(unicode.ToUpper(first)) + text[size:]
	}
	return &Refusal{Kind: kind, Reason: text + "."}, true
}

// failureKind is the kind of a failure that is no refusal, "" if it has none.
func failureKind(err error) RefusalKind {
	for _, known := range []struct {
		error
		kind RefusalKind
	}{
		{store.ErrNoSuchPlan, NoSuchPlan}, {store.ErrNotAsShown, HashMismatch},
		{store.ErrLocked, Busy}, {store.ErrChanged, Busy},
		{store.ErrFull, ApplyFailed}, {store.ErrUnwritable, ApplyFailed}, {store.ErrDamaged, ApplyFailed},
		{store.ErrNewer, ApplyFailed}, {store.ErrNoSuchText, ApplyFailed}, {store.ErrTampered, NotAllowed},
	} {
		if errors.Is(err, known.error) {
			return known.kind
		}
	}
	_, file := errors.AsType[*fs.PathError](err)
	_, refused := errors.AsType[*workspace.Refusal](err)
	if file || refused {
		return ApplyFailed
	}
	return ""
}
