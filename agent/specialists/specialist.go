// Package specialists lets several specialists work on one request: which specialists
// there are, who of them works on a request and in which order, what each is
// told, and how they run. It knows neither the workspace nor a model: what it
// needs of them it is given.
//
// The way of a request: a [Registry] has the specialists. [PlanRequest] asks a
// model who works on it, and [ParsePlan] reads the answer; where none can be
// read, [Fallback] goes by words. [Registry.Expand] puts a specialist that works
// in the place of one that only delegates. [Run] has them work, level by level.
// The requests and tokens of all come out of one [Budget].
package specialists

// Origin is where the description of a specialist comes from.
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
	Description string   // one line, for who chooses
	Prompt      string   // what it is told about its work
	Delegates   []string // not nil: it does not work itself, one of these is chosen
	Keywords    []string // words of a request that ask for it
	Tools       []string // what it may call, in the order of the known tools
	Model       string   // another model of the same provider, "" for the usual one
	Temperature *float64 // nil for the provider's default
	Origin      Origin
	File        string // the agent file that has described it last, "" for none
}

// ToolKind says what a tool is there for.
type ToolKind int

// The kinds of tools.
const (
	Reads   ToolKind = iota // looks, changes nothing
	Edits                   // stages an edit
	Runs                    // stages a command
	Fetches                 // looks at what the user's own settings name on the network
	Asks                    // looks, by a tool server of the user's
	Calls                   // stages a call of a tool server
)

// configured tells whether tools of the kind reach something that the user's own
// settings name.
func (k ToolKind) configured() bool { return k == Fetches || k == Asks || k == Calls }

// Tool is a tool that a specialist may be given.
type Tool struct {
	Name string
	Kind ToolKind
}
