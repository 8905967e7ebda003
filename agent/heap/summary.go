package heap

// Summary is what a turn with specialists was, for whoever asks.
type Summary struct {
	Route       string       `json:"route"` // "code, then tests and docs at the same time"
	By          string       `json:"by"`    // [ByModel] or [ByRules]
	RefinedTask string       `json:"refinedTask"`
	Specialists []Specialism `json:"specialists"`
	Conflicts   []string     `json:"conflicts,omitempty"` // edits that were left out, one sentence each
	Notes       []string     `json:"notes,omitempty"`     // what of the planner's answer did not count
}

// Specialism is one specialist's part in it.
type Specialism struct {
	ID      string `json:"id"`
	Step    string `json:"step"`
	State   State  `json:"state"`
	Summary string `json:"summary,omitempty"`
	Reason  string `json:"reason,omitempty"`
}
