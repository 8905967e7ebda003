// Package refusal has the errors for requests of a user or client that are refused: a kind for
// programs, and a sentence for the user that says what happened and what to do.
package refusal

import (
	"errors"
	"fmt"
	"io/fs"

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
	NotAllowed     Kind = "not_allowed"     // commands were not allowed, or a rule of the user's own denies one; or the machine's policy or the user's settings allow no approval in this way; or Redline is shutting down
	Busy           Kind = "busy"            // something else is at it: a file is unsaved elsewhere, the plan is being carried out or worked on, another process holds the plan database, or too many messages wait
	Invalid        Kind = "invalid"         // the argument is wrong
)

// Error refuses a decision or request. Nothing was changed, except with the kind apply_failed,
// whose text says what stays changed. The text is for the user.
type Error struct {
	Kind   Kind
	Reason string
	Hunks  []string // the hunks concerned, if the kind is stale
}

func (r *Error) Error() string { return r.Reason }

// WholeSentence makes [phrase.SentenceOf] leave the text as it is.
func (r *Error) WholeSentence() bool { return true }

// New returns a refusal with a formatted reason.
func New(kind Kind, format string, args ...any) error {
	return &Error{Kind: kind, Reason: fmt.Sprintf(format, args...)}
}

// Of returns the refusal to send to the client for an error: the error itself if it is a
// refusal, or one made from a failure of the plan database or the disk. For any other
// error, which is a fault of the program, ok is false.
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

// Failure is an error that says as what a request is refused that meets it, such as a plan
// database that is in use. Its text is the middle of a sentence.
type Failure struct {
	Kind Kind
	Text string
}

func (f *Failure) Error() string { return f.Text }

// failureKind returns the kind for a [Failure] or a failure of the disk, "" for any other
// error.
func failureKind(err error) Kind {
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
