// Package trace records what the agent did in a turn, step by step, for a user to read: the
// route of the turn, the requests to models, the calls of tools and their results. A trace
// is a plain value with short summaries; it never has the text of a file, a prompt or a key.
package trace

import (
	"time"
)

// Kind names what happened in a step.
type Kind string

// The kinds of steps, in the order in which a turn usually has them. Only turns of
// specialists have those whose names begin with Planner and Specialist.
const (
	Route              Kind = "route"            // the route of the turn, and why
	PlannerRequest     Kind = "planner_request"  // the planner of specialists is asked
	PlannerResponse    Kind = "planner_response" // its answer, in `detail`
	SpecialistRoute    Kind = "heap_route"       // the specialists in their order, and the task
	SpecialistExpand   Kind = "heap_expand"      // a specialist that only delegates is replaced by `name`
	Specialist         Kind = "heap_specialist"  // the specialist `name` begins or ends
	SpecialistTool     Kind = "heap_tool"        // a specialist calls the tool `name`
	SpecialistToolDone Kind = "heap_tool_done"   // the result, in a line
	Request            Kind = "request"          // the model `name` is asked, and how much it is sent
	Reply              Kind = "reply"            // its reply: how much, tokens and time, or the error
	Tool               Kind = "tool"             // the model calls the tool `name`, with the names in the call: paths, patterns, a command line
	ToolDone           Kind = "tool_done"        // the result, in a line
	Staged             Kind = "staged"           // an operation on the file `path` is staged
	Server             Kind = "server"           // the tool server `name` has started or ended
	Question           Kind = "question"         // the user is asked
	Revision           Kind = "revision"         // a revision of the plan is made
	Limit              Kind = "limit"            // a limit has ended the turn
	Notice             Kind = "notice"           // a message to the user
	Fallback           Kind = "fallback"         // a model could not do what `name` says, and rules did it instead: planner, classification or prediction
	Reflection         Kind = "reflection"       // the analysis that `redline run --reflect` asks for, in `detail`
	Error              Kind = "error"            // the turn has failed
)

// The names of fallbacks.
const (
	ByKeywords = "planner"        // keywords chose the specialists
	ByRules    = "classification" // rules found out what the message wants
	ByForm     = "prediction"     // the files of a plan in words were found by their form
)

// Step is one thing that happened. Only the fields that its kind needs are set.
type Step struct {
	Kind     Kind      `json:"kind"`               // what has happened, see [traces](../records.md#traces)
	At       time.Time `json:"at"`                 // when it was recorded, in UTC (RFC 3339)
	Name     string    `json:"name,omitempty"`     // of a tool, a model, a specialist
	Route    string    `json:"route,omitempty"`    // of the kind `route`: the route of the turn
	Summary  string    `json:"summary,omitempty"`  // one line, at most 300 bytes
	Detail   string    `json:"detail,omitempty"`   // several lines, at most 4096 bytes
	Path     string    `json:"path,omitempty"`     // of a file, from the workspace's root
	Plan     int       `json:"plan,omitempty"`     // the number of the plan that it is about
	Revision int       `json:"revision,omitempty"` // of that plan
	Usage    *Usage    `json:"usage,omitempty"`    // the tokens that it used
	Took     int64     `json:"took_ms,omitempty"`  // milliseconds, of a step that is an end
	Error    string    `json:"error,omitempty"`    // one sentence
}

// Usage counts tokens, as the model's provider reported them.
type Usage struct {
	Prompt     int `json:"prompt"`     // tokens sent
	Completion int `json:"completion"` // tokens received
}

// Trace is what happened in one turn.
type Trace struct {
	ID           string    `json:"id"`               // unique among all sessions: the session's name, a dash, the turn's id
	Turn         string    `json:"turn"`             // the id in its session: `t1`, `t2` …
	Conversation string    `json:"conversation"`     // the conversation of the turn
	Request      string    `json:"request"`          // the message, as one bounded line
	Plan         int       `json:"plan,omitempty"`   // the plan that it made or changed
	State        string    `json:"state"`            // `running`, `done`, `failed`, `cancelled` or `waiting`
	Began        time.Time `json:"began"`            // when it began, in UTC
	Ended        time.Time `json:"ended,omitzero"`   // when it ended, in UTC
	Answer       string    `json:"answer,omitempty"` // as one bounded line
	Steps        []Step    `json:"steps"`            // what happened, in order
	Left         int       `json:"left,omitempty"`   // how many steps are left out because it was full
}

// Limits of a trace.
const (
	MaxSteps   = 1000 // steps that say how a turn ended are kept beyond it
	MaxSummary = 300  // bytes
	MaxDetail  = 4 << 10
	maxBytes   = 256 << 10 // of all texts
	maxEnds    = 50        // steps that are kept beyond the limits
)
