package adapt_test

import (
	"errors"

	"redline/edits/match"
)

// refusal returns err, which must be a refusal.
func refusal(t interface{ Fatalf(string, ...any) }, err error) *match.Refusal {
	var r *match.Refusal
	if !errors.As(err, &r) {
		t.Fatalf("got %v, want a refusal", err)
	}
	return r
}
