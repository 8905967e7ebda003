package state

import (
	"fmt"
	"strings"

	"redline/agent/plan"
)

// Line describes the result to the user in one line. verb is what was done with the plan,
// such as "approved" or "undone".
func (r Result) Line(verb string) string {
	if r.InWords() {
		return fmt.Sprintf("Plan %d is approved in words and is being worked out (%s): you will see the edits before anything changes.", r.Plan, r.Turn)
	}
	now := strings.TrimPrefix(plan.State(r.State).Predicate(), "is ")
	if len(r.Files) == 0 {
		return fmt.Sprintf("Plan %d %s (%s).", r.Plan, verb, now)
	}
	files := make([]string, len(r.Files))
	for i, f := range r.Files {
		files[i] = fmt.Sprintf("%s is %s", f.Path, f.Status)
	}
	return fmt.Sprintf("Plan %d %s (%s): %s.", r.Plan, verb, now, strings.Join(files, ", "))
}
