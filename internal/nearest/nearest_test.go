package nearest

import (
	"slices"
	"testing"
)

func TestOf(t *testing.T) {
	known := []string{"approve", "reject", "rework", "retry", "plan", "ask", "new"}
	for word, want := range map[string][]string{
		"aprove":   {"approve"},
		"approved": {"approve"},
		"rejcet":   {"reject"},
		"retr":     {"retry"},
		"plaan":    {"plan"},
		"asx":      {"ask"},
		"tmp":      nil,
		"":         nil,
		"xylophon": nil,
	} {
		if got := Of(word, known); !slices.Equal(got, want) {
			t.Errorf("Of(%q) = %q, want %q", word, got, want)
		}
	}
	if !Within("handler", "hanlder", 2) || Within("handler", "handle_it", 2) {
		t.Error("Within counts the letters wrongly")
	}
	if got := Of("ab", []string{"aa", "bb", "ac", "ad", "ae"}); !slices.Equal(got, []string{"aa", "bb", "ac"}) {
		t.Errorf("of five equally near words got %q, want the first three", got)
	}
}
