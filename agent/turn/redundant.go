package turn

import (
	"fmt"
	"strings"

	"redline/agent/draft"
	"redline/agent/plan"
	"redline/internal/phrase"
)

// leftOut names the operations of a turn that are not in its plan because the files end up the
// same without them; "" for none. idle are operations that had no effect.
func leftOut(left []draft.Left, idle []plan.Operation) string {
	var names []string
	name := func(o plan.Operation, why string) {
		what := strings.TrimSpace(o.Tool + " " + o.Path)
		if o.IsCommand() {
			what = fmt.Sprintf("the command %q%s", phrase.FirstLine(o.Command, 80), plan.In(o.Folder()))
		}
		names = append(names, what+why)
	}
	for _, l := range left {
		name(l.Operation, " ("+l.Why+")")
	}
	for _, o := range idle {
		name(o, " (nothing of it is left in the end)")
	}
	if len(names) == 0 {
		return ""
	}
	count := "1 redundant operation was"
	if len(names) > 1 {
		count = fmt.Sprintf("%d redundant operations were", len(names))
	}
	return fmt.Sprintf("%s left out: %s.", count, strings.Join(phrase.FirstOf(names, 5, "operation"), "; "))
}
