package refusal_test

import (
	"fmt"
	"testing"

	"redline/agent/refusal"
	"redline/internal/phrase"
)

// A refusal may begin with the name of a file; what quotes one does not.
func TestARefusalIsASentence(t *testing.T) {
	r := refusal.New(refusal.ApplyFailed, "people.md was not changed: it is locked.")
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
