package lsp

import (
	"strings"
	"testing"
)

func TestExcerpt(t *testing.T) {
	long := strings.Repeat("😀", maxMessage+1)
	for name, c := range map[string]struct {
		text, want string
		whole      bool
	}{
		"one line":      {" Done. \n", "Done.", true},
		"several lines": {"First.\n\nSecond.", "First.", false},
		"a long line":   {long, strings.Repeat("😀", maxMessage-1) + "…", false},
		"nothing":       {"\n", "", true},
	} {
		t.Run(name, func(t *testing.T) {
			if got, whole := excerpt(c.text); got != c.want || whole != c.whole {
				t.Errorf("got %q, %v, want %q, %v", got, whole, c.want, c.whole)
			}
		})
	}
}
