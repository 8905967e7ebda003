package agent

import (
	"redline/agent/heap"
	"redline/agent/intent"
	"redline/agent/model"
	"redline/agent/plan"
	"redline/agent/trace"
)

// EventKind names what an [Event] tells. The names are those of the
// redline/event notification and of the lines of `redline run --json`.
type EventKind string

// The kinds of events, in the order in which a turn usually sends them.
const (
	TurnQueued   EventKind = "turn.queued" // it waits for others of its conversation, and comes again when its place changes
	TurnStarted  EventKind = "turn.started"
	Routed       EventKind = "route"
	TokenArrived EventKind = "token"
	ToolCalled   EventKind = "tool"
	HunkStaged   EventKind = "staged"
	PlanChanged  EventKind = "plan"
	Traced       EventKind = "trace"
	Noticed      EventKind = "notice"

	QuestionAsked  EventKind = "question" // the model asks the user; the turn ends with it
	CommandPrinted EventKind = "command"

	LocationAsked EventKind = "location"  // the model wants a place to be seen
	ViewAsked     EventKind = "view"      // or one of Redline's own pages
	DiffModeAsked EventKind = "diff_mode" // or differences in another way
	TurnFinished  EventKind = "turn.finished"
)

// Event is something that happened, told to the user's editor and to whoever
// follows a turn on the command line. Only the fields that its kind names are
// set.
type Event struct {
	Kind         EventKind     `json:"kind"`
	Turn         string        `json:"turn,omitempty"`
	Conversation string        `json:"conversation,omitempty"`
	PlanNumber   int           `json:"-"`
	Asked        bool          `json:"-"`                 // turn.finished: the user was asked about each operation as it was staged
	Reused       int           `json:"reused,omitempty"`  // notice: the plan that is made once more, without asking the model
	Approved     bool          `json:"-"`                 // turn.finished: the message was an approval
	Again        bool          `json:"-"`                 // plan: the user asked to see it, also if they have
	Effects      []plan.Effect `json:"-"`                 // plan: what is to be shown because of it, in order
	Route        string        `json:"route,omitempty"`   // route: where the turn goes
	Intent       *intent.Flags `json:"intent,omitempty"`  // route: what the message wants, if it was classified
	By           string        `json:"by,omitempty"`      // route: who decided it: model, rules, mode, slash, comment or rework
	Reason       string        `json:"reason,omitempty"`  // route: why, in a few words
	ID           string        `json:"id,omitempty"`      // command: the operation
	Stream       string        `json:"stream,omitempty"`  // command: stdout or stderr
	Text         string        `json:"text,omitempty"`    // token: a fragment of the reply; command: a piece of what it prints; notice: a sentence for the user; question: the question
	Options      []string      `json:"options,omitempty"` // question: answers to choose from
	Name         string        `json:"name,omitempty"`    // tool: its name
	Summary      string        `json:"summary,omitempty"` // tool: one line on the call; turn.queued, turn.started: the request
	Place        int           `json:"place,omitempty"`   // turn.queued: how many turns of its conversation end before it begins
	Path         string        `json:"path,omitempty"`    // staged, location: the file
	URI          string        `json:"uri,omitempty"`     // location: the file; view: the page
	Line         int           `json:"line,omitempty"`    // location: from 1; 0 for none
	View         string        `json:"view,omitempty"`    // view: plan or chat
	Mode         string        `json:"mode,omitempty"`    // diff_mode: unified or split
	Hunk         string        `json:"hunk,omitempty"`    // staged: the hunk, when it has a name already
	Plan         *PlanState    `json:"plan,omitempty"`    // plan: the plan as it is now
	Answer       string        `json:"answer,omitempty"`  // turn.finished
	Step         *trace.Step   `json:"step,omitempty"`    // trace: what was recorded
	Usage        *Usage        `json:"usage,omitempty"`   // turn.finished
	Error        string        `json:"error,omitempty"`   // turn.finished: one sentence; notice: what went wrong, instead of a text
	State        string        `json:"state,omitempty"`   // turn.finished: done, failed, cancelled or waiting

	Specialists *heap.Summary `json:"planSummary,omitempty"` // turn.finished: what specialists did
}

// Usage counts the tokens of a turn, as the model's provider reported them.
type Usage struct {
	Prompt     int     `json:"prompt"`
	Completion int     `json:"completion"`
	Cost       float64 `json:"cost,omitempty"` // in the currency of the user's prices; 0 when it is not known
}

func asUsage(u model.Usage) Usage {
	return Usage{Prompt: u.Prompt, Completion: u.Completion, Cost: u.Cost}
}
