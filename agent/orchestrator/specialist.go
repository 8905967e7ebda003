// Package specialists says which specialists there are, which of them work on a request and
// in which order, and what each of them reads. It runs none of them: that is what package
// orchestrator does, within the limits of a turn.
//
// A [Registry] has the specialists. [PlanRequest] asks a model who works on a request, and
// [ReadAnswer] and [ParsePlan] read the answer; if no answer can be read, [Fallback] chooses by keywords.
// [Registry.Expand] replaces each specialist that only delegates by one that works.
// [Plan.Task] is what a specialist reads, with the [Result] of each that worked before it and
// what they have staged.

package orchestrator

// Origin says where the description of a specialist comes from.
type Origin string

// The origins.
const (
	BuiltIn    Origin = "built in"
	Own        Origin = "your own"   // the user's own agent file
	Repository Origin = "repository" // an agent file of the workspace
)

// Specialist is an agent for one kind of work.
type Specialist struct {
	ID          string
	Description string   // one line, for the planner
	Prompt      string   // its part of the system prompt
	Delegates   []string // if not nil, it does not work itself: one of these is chosen
	Keywords    []string // words of a request that ask for it
	Tools       []string // the tools that it may call, in the order of the known tools
	Model       string   // another model of the same provider, "" for the usual one
	Temperature *float64 // nil for the provider's default
	Primary     bool     // the user can choose it for a conversation; planners do not know it
	Origin      Origin
	File        string // the last agent file that describes it, "" for none
}

// ToolKind says what a tool does.
type ToolKind int

// The kinds of tools.
const (
	Reads   ToolKind = iota // reads files of the workspace
	Recalls                 // reads what the repository keeps of them
	Shows                   // shows the user something in their editor
	Edits                   // stages an edit
	Runs                    // stages a command
	Tries                   // tries a command before anything is approved
	Fetches                 // reads from the hosts that the user's own settings name
	Asks                    // reads through a tool server of the user's
	Calls                   // stages a call of a tool server
)

// configured reports whether tools of the kind use what the user's own settings name.
func (k ToolKind) configured() bool { return k == Fetches || k == Asks || k == Calls }

// Tool is a tool that a specialist may have.
type Tool struct {
	Name string
	Kind ToolKind
}
