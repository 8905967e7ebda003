package main

import (
	"fmt"
	"strings"
)

// unfinished prints to stderr what a turn has left undone, and returns an exit status.
// That is nil if nothing is undone, exitWaiting if there is a plan, which is then not
// applied without asking, else exitRefused.
func (c *console) unfinished(r *runResult, approve bool, exit int) error {
	if len(r.Unfinished) == 0 {
		return nil
	}
	said := oneLine(strings.Join(r.Unfinished, " "))
	switch {
	case exit != exitWaiting:
		said += " No plan waits: ask again, perhaps for less at once."
	case approve:
		said = fmt.Sprintf("Plan %d is not applied, because it is incomplete. %s Look at it, then: redline plans approve %d, or redline plans rework %d TEXT.", r.Plan.Plan, said, r.Plan.Plan, r.Plan.Plan)
	default:
		said = fmt.Sprintf("Plan %d is incomplete. %s", r.Plan.Plan, said)
	}
	fmt.Fprintln(c.err, "redline:", said)
	return status(exit)
}
