package edits

import "testing"

func TestBlank(t *testing.T) {
	for text, want := range map[string]bool{"": true, "\n": true, "\r\n": true, "\r": false, "\n\n": false, " ": false, "a": false, "a\n": false} {
		if Blank(text) != want {
			t.Errorf("Blank(%q) is %v", text, !want)
		}
	}
}
