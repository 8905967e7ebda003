package view

import (
	"errors"
	"strings"
	"testing"

	"redline/agent/plan"
)

// A refusal says who forbids the way, and what is left to do.
func TestForbiddenWays(t *testing.T) {
	const by = "The policy in /etc/redline/policy.toml"
	for _, c := range []struct {
		forbidden []Way
		way       Way
		want      string // "" if it is allowed
	}{
		{nil, ByChoice, ""},
		{nil, ByRule, ""},
		{nil, "", ""},
		{[]Way{ByWords}, ByChoice, ""},
		{[]Way{ByWords}, ByWords, by + " does not allow approval by words: approve plan 7 with its action in your editor, with /approve 7 in the chat, or by your answer at a terminal."},
		{[]Way{ByCommandLine}, ByCommandLine, by + " does not allow approval on the command line without a question: approve plan 7 with its action"},
		{[]Way{ByRule}, ByRule, by + " does not allow approval by a rule: approve plan 7 with"},
		{[]Way{ByChoice}, ByChoice, by + " does not allow approval by an action, a command or an answer: approve it with redline plans approve 7."},
		{[]Way{ByPage}, ByPage, by + " does not allow approval on a page in a browser: approve plan 7 with its action"},
		{[]Way{ByChoice, ByCommandLine}, ByCommandLine, ": approve it on the page of redline review 7."},
		{[]Way{ByChoice, ByCommandLine, ByPage}, ByCommandLine, ": say \"approve\" in the chat."},
		{[]Way{ByPanel}, ByPanel, by + " does not allow approval in an editor's agent panel: approve plan 7 with its action"},
		{[]Way{ByChoice, ByCommandLine, ByPage, ByWords}, ByWords, ": approve plan 7 in your editor's agent panel."},
		{Ways(), ByWords, ": nothing can be approved on this machine."},
		{[]Way{ByRule}, "", "Plan 7 is not approved, because it is not known how the approval came about"},
		{[]Way{ByRule}, "else", "it is not known how the approval came about"},
	} {
		f := Forbidden{}
		for _, w := range c.forbidden {
			f[w] = by
		}
		err := f.Check(7, c.way)
		if c.want == "" {
			if err != nil {
				t.Errorf("%q where %q is forbidden: %v", c.way, c.forbidden, err)
			}
			continue
		}
		if r, ok := errors.AsType[*plan.Refusal](err); !ok || r.Kind != plan.NotAllowed || !strings.Contains(r.Reason, c.want) || strings.Count(r.Reason, ". ") > 0 {
			t.Errorf("%q where %q is forbidden: %v, want %q", c.way, c.forbidden, err, c.want)
		}
	}
}
