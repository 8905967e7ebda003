package edits_test

import (
	"testing"

	"redline/edits"
)

func TestExpandTabs(t *testing.T) {
	for _, c := range []struct {
		text  string
		apart int
		want  string
	}{
		{"no tabs\n", 0, "no tabs\n"},
		{"\tone", 0, "    one"},
		{"a\tb\tc", 0, "a   b   c"},
		{"abcd\te", 0, "abcd    e"},
		{"ü😀\tx\n\ty\n", 0, "ü😀  x\n    y\n"},
		{"-\told\n+\t\tnew\n \tsame", 1, "-    old\n+        new\n     same"},
		{"\t\tno sign", 1, "     no sign"},
	} {
		if got := edits.ExpandTabs(c.text, c.apart); got != c.want {
			t.Errorf("ExpandTabs(%q, %d) is %q, want %q", c.text, c.apart, got, c.want)
		}
	}
}
