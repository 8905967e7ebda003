package wire

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// A long reason is cut between two characters.
func TestBadParamsIsText(t *testing.T) {
	err := badParams("test/method", "x"+strings.Repeat("ä", 200))
	if text := err.Error(); !utf8.ValidString(text) || !strings.Contains(text, "ä….") {
		t.Errorf("got %q", text)
	}
}
