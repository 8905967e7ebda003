package plan

import "time"

// History is everything stored about one plan.
type History struct {
	*Plan
	Decisions  []Decision // oldest first
	Executions []Execution
}

// Execution is one run of an approval or an undo.
type Execution struct {
	Verdict           Verdict
	Started, Finished time.Time // UTC; Finished is zero while the result is unknown
	Outcome           State     // the state of the plan afterwards
}
