package edits_test

import (
	"testing"

	"redline/edits"
)

func TestBlank(t *testing.T) {
	for text, want := range map[string]bool{"": true, "\n": true, "\r\n": true, "\r": false, "\n\n": false, " ": false, "a": false, "a\n": false} {
		if edits.Blank(text) != want {
			t.Errorf("Blank(%q) is %v", text, !want)
		}
	}
}
