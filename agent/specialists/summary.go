package specialists

// Summary describes the work of the specialists of a turn.
type Summary struct {
	Route       string         `json:"route"`               // who works, in which order: "code, then tests and docs at the same time"
	By          string         `json:"by"`                  // who has decided that: `model` or `rules`
	RefinedTask string         `json:"refinedTask"`         // what there is to do, in the planner's words
	Specialists []Contribution `json:"specialists"`         // each of them, in the order of the plan
	Conflicts   []string       `json:"conflicts,omitempty"` // edits that were left out, one sentence each
	Notes       []string       `json:"notes,omitempty"`     // what of the planner's answer did not count
}

// Contribution is the part of one specialist in a [Summary].
type Contribution struct {
	ID      string `json:"id"`                // which specialist
	Step    string `json:"step"`              // the plan's step that it works on
	State   State  `json:"state"`             // done, stopped, failed, waiting or skipped
	Summary string `json:"summary,omitempty"` // what it has done, in its own words
	Reason  string `json:"reason,omitempty"`  // why it is not done
}
