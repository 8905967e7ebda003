package codeaction

import (
	"testing"

	"go.lsp.dev/protocol"
)

func TestMenuWants(t *testing.T) {
	for name, c := range map[string]struct {
		only []string
		kind protocol.CodeActionKind
		want bool
	}{
		"all":                     {nil, Refactor, true},
		"itself":                  {[]string{"refactor.redline"}, Refactor, true},
		"its parent":              {[]string{"refactor"}, Refactor, true},
		"another":                 {[]string{"source.organizeImports"}, Refactor, false},
		"source":                  {[]string{"source"}, protocol.CodeActionKindQuickFix, false},
		"its child":               {[]string{"quickfix.redline"}, protocol.CodeActionKindQuickFix, false},
		"one that begins like it": {[]string{"refac"}, Refactor, false},
		"the empty kind":          {[]string{""}, Refactor, true},
		"one of several":          {[]string{"source", "quickfix"}, protocol.CodeActionKindQuickFix, true},
	} {
		t.Run(name, func(t *testing.T) {
			if got := (&menu{only: c.only}).wants(c.kind); got != c.want {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}
