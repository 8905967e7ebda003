// Package refusal has the answers to what cannot be done: a kind for programs, and a
// sentence for the user that says what happened and what to do.
package refusal

import (
	"errors"
	"fmt"
	"io/fs"

	"redline/agent/store"
	"redline/internal/phrase"
	"redline/workspace"
)

// Kind says why something was refused; clients see it as data.kind.
type Kind string

// The kinds of refusals.
const (
	HashMismatch   Kind = "hash_mismatch"   // it is another revision now than the one that was decided on: look again
	Stale          Kind = "stale"           // the text of what is decided on was changed since
	WrongState     Kind = "wrong_state"     // the plan, or what is named of it, is not in a state in which this can be done
	NoSuchPlan     Kind = "no_such_plan"    // the workspace has no plan of this number
	ApplyFailed    Kind = "apply_failed"    // the editor or the disk did not make the changes, and what was made is taken back; or the plan database cannot take the decision (its disk is full, it cannot be written, it is damaged), and nothing was changed
	UnsavedPreview Kind = "unsaved_preview" // the preview of the plan has changes that are not saved
	NotAllowed     Kind = "not_allowed"     // commands were not allowed, or a rule of the user's own denies one; or Redline is shutting down
	Busy           Kind = "busy"            // something else is at it: a file is unsaved elsewhere, the plan is being carried out or worked on, another process holds the plan database, or too many messages wait
	Invalid        Kind = "invalid"         // the argument is wrong
)

// Error is the answer to a decision or request that cannot be carried out.
// Nothing was changed, except that one of the kind apply_failed says what stays
// changed, if anything does. Its text is for the user.
type Error struct {
	Kind   Kind
	Reason string
	Hunks  []string // stale: the hunks concerned
}

func (r *Error) Error() string { return r.Reason }

// WholeSentence tells [phrase.SentenceOf] to leave the text as it is.
func (r *Error) WholeSentence() bool { return true }

// New returns a refusal whose reason is made of the format and its arguments.
func New(kind Kind, format string, args ...any) error {
	return &Error{Kind: kind, Reason: fmt.Sprintf(format, args...)}
}

// Of returns the refusal to send to the client for an error of a command: the
// error itself if it is one, or one made from a failure of the plan database or of the
// disk. ok is false for an error of the program itself.
func Of(err error) (r *Error, ok bool) {
	if r, ok := errors.AsType[*Error](err); ok {
		return r, true
	}
	kind := failureKind(err)
	if kind == "" {
		return nil, false
	}
	return &Error{Kind: kind, Reason: phrase.Sentence(err.Error())}, true
}

// failureKind is the kind of a failure that is no refusal, "" if it has none.
func failureKind(err error) Kind {
	for _, known := range []struct {
		error
		kind Kind
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
