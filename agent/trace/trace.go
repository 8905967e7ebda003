// Package trace is what the agent did in a turn, step by step, for a user to
// look at: which way the turn took, what was asked of which model, which tools
// were called and what came of them. These are plain values; a trace has short
// summaries and never the text of a file, a prompt or a key.
package trace

import (
	"time"
)

// Kind names what happened in a step.
type Kind string

// The kinds of steps, in the order in which a turn usually has them. Those that
// begin with planner and specialist are of turns that specialists work on.
const (
	Route              Kind = "route"            // which way the turn took, and why
	PlannerRequest     Kind = "planner_request"  // the planner of specialists is asked
	PlannerResponse    Kind = "planner_response" // what it said, in `detail`
	SpecialistRoute    Kind = "heap_route"       // the order of specialists, and the task, that came of it
	SpecialistExpand   Kind = "heap_expand"      // a specialist that only delegates was replaced by `name`
	Specialist         Kind = "heap_specialist"  // the specialist `name` begins or ends
	SpecialistTool     Kind = "heap_tool"        // a specialist calls the tool `name`
	SpecialistToolDone Kind = "heap_tool_done"   // what came of that, in a line
	Request            Kind = "request"          // the model `name` is asked, and how much it is sent
	Reply              Kind = "reply"            // what came back: how much, tokens and time, or the error
	Tool               Kind = "tool"             // the model calls the tool `name`, with the names in the call: paths, patterns, a command line
	ToolDone           Kind = "tool_done"        // what came of that, in a line
	Staged             Kind = "staged"           // an operation on the file `path` is staged
	Server             Kind = "server"           // the tool server `name` was started, or is gone
	Question           Kind = "question"         // the user is asked
	Revision           Kind = "revision"         // a revision of the plan is made
	Limit              Kind = "limit"            // a limit has ended the turn
	Notice             Kind = "notice"           // something that the user was told
	Reflection         Kind = "reflection"       // the analysis that `redline run --reflect` asks for, in `detail`
	Error              Kind = "error"            // the turn has failed
)

// Step is one thing that happened. Only the fields that its kind needs are set.
type Step struct {
	Kind     Kind      `json:"kind"`               // what has happened, see [trace.md](trace.md)
	At       time.Time `json:"at"`                 // when it was recorded, in UTC (RFC 3339)
	Name     string    `json:"name,omitempty"`     // of a tool, a model, a specialist
	Route    string    `json:"route,omitempty"`    // of the kind `route`: the way of the turn
	Summary  string    `json:"summary,omitempty"`  // one line, at most 300 bytes
	Detail   string    `json:"detail,omitempty"`   // several lines, at most 4096 bytes
	Path     string    `json:"path,omitempty"`     // of a file, from the workspace's root
	Plan     int       `json:"plan,omitempty"`     // the number of the plan that it is about
	Revision int       `json:"revision,omitempty"` // of that plan
	Usage    *Usage    `json:"usage,omitempty"`    // the tokens that it took
	Took     int64     `json:"took_ms,omitempty"`  // milliseconds, of a step that tells an end
	Error    string    `json:"error,omitempty"`    // one sentence
}

// Usage counts tokens, as the model's provider reported them.
type Usage struct {
	Prompt     int `json:"prompt"`     // tokens that were sent
	Completion int `json:"completion"` // tokens that were received
}

// Trace is what happened in one turn.
type Trace struct {
	ID           string    `json:"id"`               // of all sessions: the session's name, a dash, the turn's id
	Turn         string    `json:"turn"`             // the id in its session: `t1`, `t2` …
	Conversation string    `json:"conversation"`     // the conversation that it is of
	Request      string    `json:"request"`          // the message, as one bounded line
	Plan         int       `json:"plan,omitempty"`   // the plan that it made or changed
	State        string    `json:"state"`            // `running`, `done`, `failed`, `cancelled` or `waiting`
	Began        time.Time `json:"began"`            // when it began, in UTC
	Ended        time.Time `json:"ended,omitzero"`   // when it ended, in UTC
	Answer       string    `json:"answer,omitempty"` // as one bounded line
	Steps        []Step    `json:"steps"`            // what happened, in order
	Left         int       `json:"left,omitempty"`   // how many steps are not in it, since it was full
}

// Limits of a trace.
const (
	MaxSteps   = 1000 // the kinds that tell how a turn ended are kept beyond it
	MaxSummary = 300  // bytes
	MaxDetail  = 4 << 10
	maxBytes   = 256 << 10 // of all texts
	maxEnds    = 50        // steps that are kept beyond the limits
)
