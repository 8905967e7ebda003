package lsp

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
		"all":                     {nil, kindRefactor, true},
		"itself":                  {[]string{"refactor.redline"}, kindRefactor, true},
		"its parent":              {[]string{"refactor"}, kindRefactor, true},
		"another":                 {[]string{"source.organizeImports"}, kindRefactor, false},
		"source":                  {[]string{"source"}, protocol.CodeActionKindQuickFix, false},
		"its child":               {[]string{"quickfix.redline"}, protocol.CodeActionKindQuickFix, false},
		"one that begins like it": {[]string{"refac"}, kindRefactor, false},
		"the empty kind":          {[]string{""}, kindRefactor, true},
		"one of several":          {[]string{"source", "quickfix"}, protocol.CodeActionKindQuickFix, true},
	} {
		t.Run(name, func(t *testing.T) {
			if got := (&menu{only: c.only}).wants(c.kind); got != c.want {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}
