package agent

import (
	"errors"
	"fmt"
	"testing"
)

func TestListsInWords(t *testing.T) {
	names := []string{"a", "b", "c"}
	for got, want := range map[string]string{
		andList(nil):                           "",
		andList(names[:1]):                     "a",
		andList(names[:2]):                     "a and b",
		andList(names):                         "a, b and c",
		nounOf("hunk", nil):                    "hunk",
		nounOf("hunk", names[:1]):              "hunk a",
		nounOf("hunk", names):                  "hunks a, b and c",
		andList(firstOf(names, 3, "file")):     "a, b and c",
		andList(firstOf(names, 2, "file")):     "a, b and 1 more file",
		andList(firstOf(names, 1, "file")):     "a and 2 more files",
		andList(firstOf(names[:1], 1, "file")): "a",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// What a user is told begins as a sentence does, unless that is the name of a file.
func TestErrorsInWords(t *testing.T) {
	refusal := refuse(ApplyFailed, "people.md was not changed: it is locked.")
	for _, c := range []struct {
		err  error
		want string
	}{
		{refusal, "people.md was not changed: it is locked."},
		{fmt.Errorf("the turn ended: %w", refusal), "The turn ended: people.md was not changed: it is locked."},
		{errors.New("no answer"), "No answer."},
		{errors.New("is it there?"), "Is it there?"},
		{errors.New("slow down!"), "Slow down!"},
	} {
		if got := sentence(c.err); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}
