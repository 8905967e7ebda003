package chat

import (
	"fmt"
	"slices"
	"testing"
)

func TestLinks(t *testing.T) {
	for text, want := range map[string][]string{
		"see `a/b.go`, @c.go. and @\"d e.txt\"!":           {"path a/b.go", "path c.go", "path d e.txt"},
		"Plan 7 is ready. Preview: plans/0007-r2.md":       {"page plans/0007-r2.md", "plan 7"},
		"plan 07, plans 7, explan 3, me@x.de, `two words`": nil,
		"@a.go:10 (@b)":   {"path a.go:10", "path b"},
		"plan 1234567890": nil,
	} {
		var got []string
		for _, l := range Links(text, 100) {
			switch said := text[l.Span.Start:l.Span.End]; {
			case l.Page != "":
				got = append(got, "page "+l.Page)
			case l.Plan > 0:
				got = append(got, fmt.Sprint("plan ", l.Plan))
			case l.Path != said:
				t.Errorf("%q leads to %q", said, l.Path)
			default:
				got = append(got, "path "+l.Path)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if got := len(Links("@a @b @c", 2)); got != 2 {
		t.Errorf("there are %d links, want as many as were asked for", got)
	}
}
