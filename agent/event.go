package agent

// EventKind names what an [Event] tells. The names are those of the
// redline/event notification and of the lines of `redline run --json`.
type EventKind string

// The kinds of events, in the order in which a turn usually sends them.
const (
	TurnStarted  EventKind = "turn.started"
	Routed       EventKind = "route"
	TokenArrived EventKind = "token"
	ToolCalled   EventKind = "tool"
	HunkStaged   EventKind = "staged"
	PlanChanged  EventKind = "plan"
	TurnFinished EventKind = "turn.finished"
)

// Event is something that happened, told to the user's editor and to whoever
// follows a turn on the command line. Only the fields that its kind names are
// set.
type Event struct {
	Kind         EventKind  `json:"kind"`
	Turn         string     `json:"turn,omitempty"`
	Conversation string     `json:"conversation,omitempty"`
	PlanNumber   int        `json:"-"`
	Route        string     `json:"route,omitempty"`   // route: where the turn goes
	Text         string     `json:"text,omitempty"`    // token: a fragment of the reply
	Name         string     `json:"name,omitempty"`    // tool: its name
	Summary      string     `json:"summary,omitempty"` // tool: one line on the call; turn.started: the request
	Path         string     `json:"path,omitempty"`    // staged: the file
	Hunk         string     `json:"hunk,omitempty"`    // staged: the hunk, when it has a name already
	Plan         *PlanState `json:"plan,omitempty"`    // plan: the plan as it is now
	Answer       string     `json:"answer,omitempty"`  // turn.finished
	Usage        *Usage     `json:"usage,omitempty"`   // turn.finished
	Error        string     `json:"error,omitempty"`   // turn.finished: one sentence
	State        string     `json:"state,omitempty"`   // turn.finished: done, failed or cancelled
}

// Usage counts the tokens of a turn, as the model's provider reported them.
type Usage struct {
	Prompt     int `json:"prompt"`
	Completion int `json:"completion"`
}
