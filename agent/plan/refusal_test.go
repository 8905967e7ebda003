package plan_test

import (
	"errors"
	"fmt"
	"io/fs"
	"testing"

	"redline/agent/plan"
	"redline/agent/store"
	"redline/internal/phrase"
)

// A refusal may begin with the name of a file; what quotes one does not.
func TestARefusalIsASentence(t *testing.T) {
	r := plan.Refuse(plan.ApplyFailed, "people.md was not changed: it is locked.")
	for _, c := range []struct {
		err  error
		want string
	}{
		{r, "people.md was not changed: it is locked."},
		{fmt.Errorf("the turn ended: %w", r), "The turn ended: people.md was not changed: it is locked."},
	} {
		if got := phrase.SentenceOf(c.err); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

// Failures of the store and of the disk are refusals for the client; a fault of the
// program is none.
func TestFailuresAreRefusals(t *testing.T) {
	for _, c := range []struct {
		err  error
		want plan.RefusalKind
	}{
		{fmt.Errorf("deciding: %w", plan.Refuse(plan.Stale, "It is stale.")), plan.Stale},
		{fmt.Errorf("reading: %w", store.ErrNoSuchPlan), plan.NoSuchPlan},
		{store.ErrNotAsShown, plan.HashMismatch},
		{store.ErrLocked, plan.Busy},
		{store.ErrFull, plan.ApplyFailed},
		{store.ErrTampered, plan.NotAllowed},
		{&fs.PathError{Op: "open", Path: "a.txt", Err: fs.ErrPermission}, plan.ApplyFailed},
		{errors.New("a fault"), ""},
		{nil, ""},
	} {
		r, ok := plan.RefusalOf(c.err)
		if ok != (c.want != "") || ok && (r.Kind != c.want || r.Reason == "") {
			t.Errorf("%v is %+v, want %q", c.err, r, c.want)
		}
	}
}
