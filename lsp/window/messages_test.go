package window_test

import (
	"strings"
	"testing"

	"redline/lsp/window"
)

func TestExcerpt(t *testing.T) {
	long := strings.Repeat("😀", window.MaxMessage+1)
	for name, c := range map[string]struct {
		text, want string
		whole      bool
	}{
		"one line":      {" Done. \n", "Done.", true},
		"several lines": {"First.\n\nSecond.", "First.", false},
		"a long line":   {long, strings.Repeat("😀", window.MaxMessage-1) + "…", false},
		"nothing":       {"\n", "", true},
	} {
		t.Run(name, func(t *testing.T) {
			if got, whole := window.Excerpt(c.text); got != c.want || whole != c.whole {
				t.Errorf("got %q, %v, want %q, %v", got, whole, c.want, c.whole)
			}
		})
	}
}
