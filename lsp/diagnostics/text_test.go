package diagnostics

import (
	"strings"
	"testing"

	"redline/agent/plan"
	"redline/agent/view"
)

// The line that editors show of a change begins with its new text, or says what goes.
func TestHeadline(t *testing.T) {
	for name, c := range map[string]struct {
		action   plan.Action
		old, new string
		want     string
	}{
		"a line for a line":   {plan.Update, "\treturn a\n", "\treturn sum\n", "return sum"},
		"many lines":          {plan.Update, "a\n", "b\nc\nd\n", "b … +2 lines"},
		"the first new line":  {plan.Update, "x := 1\n", "x := 1\n\ny := 2\n", "y := 2 … +2 lines"},
		"a blank line first":  {plan.Update, "", "\n\nfunc f() {}\n", "func f() {} … +2 lines"},
		"one line goes":       {plan.Update, "a\n", "", "delete 1 line"},
		"lines go":            {plan.Update, "a\nb\nc\n", "", "delete 3 lines"},
		"a blank line comes":  {plan.Update, "", "\n", "insert 1 line"},
		"only the indent":     {plan.Update, "a\n", "\ta\n", "a"},
		"a tab in the middle": {plan.Update, "", "a\tb\n", "a   b"},
		"a long line":         {plan.Update, "", strings.Repeat("x", 100) + "\n", strings.Repeat("x", 59) + "…"},
		"a new file":          {plan.Create, "", "package p\n\nvar x int\n", "package p … +2 lines · new file"},
		"an empty new file":   {plan.Create, "", "", "create this file with 0 lines"},
		"a file goes":         {plan.Delete, "a\nb\n", "", "delete this file"},
	} {
		t.Run(name, func(t *testing.T) {
			f := &view.File{Standing: view.Standing{Change: &plan.Change{Action: c.action}}}
			h := view.Hunk{
				Hunk:    plan.Hunk{Added: strings.Count(c.new, "\n"), Removed: strings.Count(c.old, "\n")},
				OldText: c.old, NewText: c.new,
			}
			if got := headline(f, h); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
