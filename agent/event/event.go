// Package event has the events that a session sends to its editor, or to the command line
// that runs a turn.
package event

import (
	"redline/agent/intent"
	"redline/agent/plan"
	"redline/agent/specialists"
	"redline/agent/state"
	"redline/agent/trace"
)

// Kind says which event an [Event] is. The names are those of the
// redline/event notification and of the lines of `redline run --json`.
type Kind string

// The kinds of events, in the order in which a turn usually sends them. docs/reference/events.md is
// made from these comments and those of the members below.
const (
	TurnQueued     Kind = "turn.queued"   // a message waits for other turns of its conversation, or its place in the queue has changed
	TurnStarted    Kind = "turn.started"  // a turn begins
	Routed         Kind = "route"         // the route of the turn is decided
	TokenArrived   Kind = "token"         // a piece of the model's reply has arrived
	ToolCalled     Kind = "tool"          // the model calls a tool, or a command is run
	Doing          Kind = "doing"         // what the turn is doing now, in words, for a line of progress; only over LSP
	HunkStaged     Kind = "staged"        // an operation on a file is staged
	PlanChanged    Kind = "plan"          // a plan was made or has changed: its content, its state, what is decided or what is stale
	Traced         Kind = "trace"         // a step of the turn's trace was recorded
	Noticed        Kind = "notice"        // a message for the user
	QuestionAsked  Kind = "question"      // the model asks the user a question; the turn ends with it
	CommandPrinted Kind = "command"       // a command prints output
	TrialRan       Kind = "trial"         // a command that is tried prints output, or has ended: then the event has its trial
	TrialsStand    Kind = "trials"        // whether commands may be tried in this workspace, or whether it says how it is tested, has changed, or is known now
	LocationAsked  Kind = "location"      // the model wants to show a place in a file; a client with `window/showDocument` is asked to show it, too
	ViewAsked      Kind = "view"          // the model wants to show one of Redline's own pages; a client with `window/showDocument` is asked to show it, too, without taking the focus
	DiffModeAsked  Kind = "diff_mode"     // the model asks the client to show differences in another way, if it can
	TurnFinished   Kind = "turn.finished" // a turn has ended, or waits for an answer
)

// Event is something that happened. The comment of a member names the kinds of events that
// have it, and what it means there; in events of other kinds it is not set. A member without
// a value is left out. The order is that of the JSON: keep it.
type Event struct {
	// The kind of the event.
	Kind Kind `json:"kind"`

	// any: the turn that caused it; a plan or a notice may have none
	Turn string `json:"turn,omitempty"`

	// any: the conversation of the turn or the plan
	Conversation string `json:"conversation,omitempty"`

	PlanNumber int           `json:"-"` // the plan that it is about, 0 for none
	Asked      bool          `json:"-"` // turn.finished: the user was asked about each operation as it was staged
	Decided    plan.Verdict  `json:"-"` // turn.finished: the decision that the message made: an approval or an undo; "" for none
	Printed    string        `json:"-"` // turn.finished: the telling lines of what the command has printed whose failure ended it, "" for none
	Again      bool          `json:"-"` // plan: show it again: the user asked to see it
	Effects    []plan.Effect `json:"-"` // plan: what to show because of it, in order

	Outcome *state.Outcome `json:"-"` // plan: the outcome of a decision whose command was answered before it was known

	// notice: the plan that is made again without asking the model
	Reused int `json:"reused,omitempty"`

	// route: the route of the turn: `tools`, `ask`, `text`, `heap`, `proceed`, `render`, `off_topic`, `work_out` or `report`
	Route string `json:"route,omitempty"`

	// route: what the message wants, if it was classified
	Intent *intent.Flags `json:"intent,omitempty"`

	// route: who decided it: `model`, `rules`, `mode`, `slash`, `comment`, `rework`, `approval` or `answer`
	By string `json:"by,omitempty"`

	// route: the agent of the conversation, if you have chosen one
	Agent string `json:"agent,omitempty"`

	// route: why, in a few words
	Reason string `json:"reason,omitempty"`

	// command: the id of its operation
	ID string `json:"id,omitempty"`

	// command, trial: `stdout` or `stderr`
	Stream string `json:"stream,omitempty"`

	// turn.finished: the id of its [trace](../records.md#traces), if anything is recorded of the turn
	Trace string `json:"trace,omitempty"`

	// token: a fragment of the reply
	// command, trial: a piece of its output
	// notice: a sentence for the user
	// question: the question
	// doing: what is being done: `reading a.go`, `waiting for the model`
	// turn.finished: the question, if the turn ended with one
	Text string `json:"text,omitempty"`

	// question, turn.finished: answers to choose from
	Options []string `json:"options,omitempty"`

	// tool: its name
	// doing: the tool that is called, `model` while its reply is waited for, `retry` before it is asked again
	Name string `json:"name,omitempty"`

	// doing: milliseconds until the model is asked again
	Wait int64 `json:"wait_ms,omitempty"`

	// turn.queued, turn.started: the first line of the message
	// tool: the call in one line
	Summary string `json:"summary,omitempty"`

	// turn.queued: how many turns of its conversation have to end before it begins
	Place int `json:"place,omitempty"`

	// staged, location: the file
	// view: the page, a file under `.redline`
	Path string `json:"path,omitempty"`

	// location: the file
	// view: the page; only over LSP
	URI string `json:"uri,omitempty"`

	// location: the line, from 1; absent if there is none
	Line int `json:"line,omitempty"`

	// view: `plan`, `chat`, or `trace` if you asked for it
	View string `json:"view,omitempty"`

	// route: the mode that you have chosen for the conversation, if you have
	// diff_mode: `unified` or `split`
	Mode string `json:"mode,omitempty"`

	// staged: the hunk, if it has a name already
	Hunk string `json:"hunk,omitempty"`

	// plan: the plan after the change
	Plan *state.Plan `json:"plan,omitempty"`

	// trial: the command that was tried, and its result
	Trial *state.Trial `json:"trial,omitempty"`

	// trials: whether they may be tried, as in the [state](state.md#the-state)
	Trials string `json:"trials,omitempty"`

	// trials: the project says how it is tested
	Checks bool `json:"checks,omitempty"`

	// turn.finished: the answer in words
	Answer string `json:"answer,omitempty"`

	// turn.finished: [what the turn left undone](../plans.md#what-a-turn-leaves-undone), a sentence each
	Unfinished []string `json:"unfinished,omitempty"`

	// trace: the step
	Step *trace.Step `json:"step,omitempty"`

	// turn.finished: the tokens that it used
	Usage *state.Usage `json:"usage,omitempty"`

	// turn.finished: why it failed, in a sentence
	// notice: what went wrong, instead of a text
	Error string `json:"error,omitempty"`

	// turn.finished: `done`, `failed`, `cancelled` or `waiting`
	State string `json:"state,omitempty"`

	// turn.finished: what specialists did, if any worked
	Specialists *specialists.Summary `json:"planSummary,omitempty"`
}
