package plan

import "time"

// History is all that is kept of one plan.
type History struct {
	*Plan
	Decisions  []Decision // oldest first
	Executions []Execution
}

// Execution is that an approval or an undo was carried out, and how long that
// took.
type Execution struct {
	Verdict           Verdict
	Started, Finished time.Time // UTC; Finished is zero while it is not known what came of it
	Outcome           State     // what the plan was left in
}
