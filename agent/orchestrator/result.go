package orchestrator

import (
	"fmt"
	"strings"
)

// Job is the work of one specialist.
type Job struct {
	Specialist *Specialist
	Index      int    // the index of its assignment in the plan
	Step       string // the id of the plan's step that it works on
	Task       string // the whole first message to it
	Only       bool   // no other specialist runs at the same time or later
}

// State is the state of a specialist's work.
type State string

// The states.
const (
	Done    State = "done"    // it completed its part
	Stopped State = "stopped" // a limit of the turn stopped it
	Failed  State = "failed"  // it could not complete its part
	Waiting State = "waiting" // it waits for the user's answer to its question
	Skipped State = "skipped" // all specialists that it depends on failed, or the turn had ended
)

// Result is the result of a job.
type Result struct {
	Job
	State   State
	Summary string // the specialist's last words
	Reason  string // why it was stopped, failed or skipped, one sentence
	Err     error  // the error if it failed

	Staged bool // it has staged something

	Question string // the question that it has asked the user, "" for none
	Options  []string
}

// report describes the result to later specialists.
func (r *Result) report() string {
	if r.State == Done {
		return r.Summary
	}
	return strings.TrimSpace(r.Summary + "\n(" + string(r.State) + ": " + r.Reason + ")")
}

// Report describes the result of an assignment to the planner.
func (r *Result) Report() string {
	return fmt.Sprintf("%s (%s): %s", r.Specialist.ID, r.State, bounded(r.report(), maxSummary))
}
