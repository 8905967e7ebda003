package state

// PlanSummary describes the work of the specialists of a turn.
type PlanSummary struct {
	Route       string         `json:"route"`               // the order of the specialists: "code, then tests and docs at the same time"
	By          string         `json:"by"`                  // what chose them: `model` or `rules`
	RefinedTask string         `json:"refinedTask"`         // the task, in the planner's words
	Specialists []Contribution `json:"specialists"`         // the specialists, in the order of the plan; then those who worked once more on a check that failed
	Conflicts   []string       `json:"conflicts,omitempty"` // edits that were left out, one sentence for each
	Notes       []string       `json:"notes,omitempty"`     // notes on the planner's answer, such as parts that were ignored
}

// Contribution is the part of one specialist in a [PlanSummary].
type Contribution struct {
	ID      string `json:"id"`                // its id
	Step    string `json:"step"`              // the step of the plan that it works on
	State   string `json:"state"`             // `done`, `stopped`, `failed`, `waiting` or `skipped`
	Summary string `json:"summary,omitempty"` // what it did, in its own words
	Reason  string `json:"reason,omitempty"`  // why it is not `done`, in one sentence
}
