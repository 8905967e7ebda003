// Package event has what a session tells its editor, and whoever follows a turn on the
// command line, as it happens.
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

// The kinds of events, in the order in which a turn usually sends them. What is
// said of each here, and of the members below, is the page docs/events.md.
const (
	TurnQueued     Kind = "turn.queued"   // a message has to wait for other turns of its conversation, or its place has changed
	TurnStarted    Kind = "turn.started"  // a turn begins
	Routed         Kind = "route"         // it is decided which way the turn goes
	TokenArrived   Kind = "token"         // a piece of the model's reply has arrived
	ToolCalled     Kind = "tool"          // the model calls a tool, or a command is run
	HunkStaged     Kind = "staged"        // an operation on a file is staged
	PlanChanged    Kind = "plan"          // a plan was made, or something about it has changed: its content, its state, what is decided, or what is stale
	Traced         Kind = "trace"         // a step of the turn's trace was recorded
	Noticed        Kind = "notice"        // there is something to tell the user
	QuestionAsked  Kind = "question"      // the model asks the user; the turn ends with it
	CommandPrinted Kind = "command"       // a command prints something
	LocationAsked  Kind = "location"      // the model wants a place to be seen; a client that has `window/showDocument` is asked to show it besides
	ViewAsked      Kind = "view"          // the model wants one of Redline's own pages to be seen, likewise, without taking the focus
	DiffModeAsked  Kind = "diff_mode"     // the model asks for differences to be shown in another way, if the client can
	TurnFinished   Kind = "turn.finished" // a turn has ended, or waits for an answer
)

// Event is something that happened, told to the user's editor and to whoever
// follows a turn on the command line. The comment of a member says of which kinds
// it is, and what it is there; in events of other kinds it is not set. A member
// without a value is left out. The order is that of the JSON: keep it.
type Event struct {
	// Which of the kinds it is.
	Kind Kind `json:"kind"`

	// any: the turn that caused it; of a plan or a notice there may be none
	Turn string `json:"turn,omitempty"`

	// any: the conversation that the turn or the plan is of
	Conversation string `json:"conversation,omitempty"`

	PlanNumber int           `json:"-"` // the plan that it is about, if it is about one
	Asked      bool          `json:"-"` // turn.finished: the user was asked about each operation as it was staged
	Decided    plan.Verdict  `json:"-"` // turn.finished: what the message decided: an approval or an undo; "" for nothing
	Again      bool          `json:"-"` // plan: the user asked to see it, also if they have
	Effects    []plan.Effect `json:"-"` // plan: what is to be shown because of it, in order

	Outcome *state.Outcome `json:"-"` // plan: what a decision came to that had been answered before it ended

	// notice: the plan that is made once more, without asking the model
	Reused int `json:"reused,omitempty"`

	// route: where the turn goes: `tools`, `ask`, `text`, `heap`, `proceed`, `render`, `off_topic` or `work_out`
	Route string `json:"route,omitempty"`

	// route: what the message wants, if it was classified
	Intent *intent.Flags `json:"intent,omitempty"`

	// route: who has decided it: `model`, `rules`, `mode`, `slash`, `comment`, `rework`, `approval` or `answer`
	By string `json:"by,omitempty"`

	// route: why, in a few words
	Reason string `json:"reason,omitempty"`

	// command: the operation
	ID string `json:"id,omitempty"`

	// command: `stdout` or `stderr`
	Stream string `json:"stream,omitempty"`

	// token: a fragment of the reply
	// command: a piece of what it prints
	// notice: a sentence for the user
	// question: the question
	// turn.finished: the question, when the turn waits with one
	Text string `json:"text,omitempty"`

	// question, turn.finished: answers to choose from
	Options []string `json:"options,omitempty"`

	// tool: its name
	Name string `json:"name,omitempty"`

	// turn.queued, turn.started: the first line of the message
	// tool: one line on the call
	Summary string `json:"summary,omitempty"`

	// turn.queued: how many turns of its conversation end before it begins
	Place int `json:"place,omitempty"`

	// staged, location: the file
	// view: the page, a file under `.redline`
	Path string `json:"path,omitempty"`

	// location: the file
	// view: the page; only over LSP
	URI string `json:"uri,omitempty"`

	// location: the line, from 1; absent for none
	Line int `json:"line,omitempty"`

	// view: `plan` or `chat`
	View string `json:"view,omitempty"`

	// diff_mode: `unified` or `split`
	Mode string `json:"mode,omitempty"`

	// staged: the hunk, where it has a name already
	Hunk string `json:"hunk,omitempty"`

	// plan: the plan as it is now
	Plan *state.Plan `json:"plan,omitempty"`

	// turn.finished: the answer in words
	Answer string `json:"answer,omitempty"`

	// turn.finished: [what the turn has left undone](plans.md#what-a-turn-leaves-undone), a sentence each
	Unfinished []string `json:"unfinished,omitempty"`

	// trace: what was recorded
	Step *trace.Step `json:"step,omitempty"`

	// turn.finished: the tokens that it took
	Usage *state.Usage `json:"usage,omitempty"`

	// turn.finished: one sentence on why it has failed
	// notice: what went wrong, instead of a text
	Error string `json:"error,omitempty"`

	// turn.finished: `done`, `failed`, `cancelled` or `waiting`
	State string `json:"state,omitempty"`

	// turn.finished: what specialists did, if any worked
	Specialists *specialists.Summary `json:"planSummary,omitempty"`
}
