package state

import (
	"context"

	"redline/agent/plan"
	"redline/agent/trace"
	"redline/edits"
)

// EventKind is the kind of an [Event], as the notification redline/event and the lines of
// `redline run --json` name it.
type EventKind string

// The kinds of events, in the order in which a turn usually sends them. docs/reference/events.md is
// generated from these comments and those of the members below.
const (
	TurnQueued     EventKind = "turn.queued"   // a message waits for earlier turns of its conversation, or its place in the queue has changed
	TurnStarted    EventKind = "turn.started"  // a turn starts
	Routed         EventKind = "route"         // the route of the turn has been chosen
	TokenArrived   EventKind = "token"         // part of the model's reply has arrived
	ModelThinks    EventKind = "thought"       // part of the model's reasoning has arrived, if the provider sends it; stored nowhere; only over LSP
	ToolCalled     EventKind = "tool"          // the model calls a tool, or a command starts
	Doing          EventKind = "doing"         // what the turn is doing now, as text for a progress line; only over LSP
	HunkStaged     EventKind = "staged"        // an operation on a file has been staged
	PlanChanged    EventKind = "plan"          // a plan was made, or its content, its state, its decisions or its stale hunks have changed
	Traced         EventKind = "trace"         // a step of the turn's trace has been recorded
	Noticed        EventKind = "notice"        // a message for the user
	QuestionAsked  EventKind = "question"      // the model asks the user a question, which ends the turn
	CommandPrinted EventKind = "command"       // a command prints output
	OutsideWorks   EventKind = "outside"       // an outside agent has begun something in its copy, or prints output
	ProblemsFound  EventKind = "problems"      // language servers have reported on the files as a plan would leave them; an event `plan` with the same comes first
	TrialRan       EventKind = "trial"         // a trial prints output, or has ended; then the event has the trial
	TrialsStand    EventKind = "trials"        // whether trials are allowed here, or whether the project says how it is tested, is now known or has changed
	LocationAsked  EventKind = "location"      // the model wants to show a place in a file; a client that supports `window/showDocument` also gets that request
	ViewAsked      EventKind = "view"          // the model wants to show one of Redline's pages; a client that supports `window/showDocument` also gets that request, without taking the focus
	DiffModeAsked  EventKind = "diff_mode"     // the model wants the client to show differences in another layout
	TurnFinished   EventKind = "turn.finished" // a turn has ended, or waits for an answer
)

// MaxThought is how many bytes of reasoning the events of a turn have.
const MaxThought = 64 << 10

// Event is something that happened. The comment of a member lists the kinds of events that
// have it, each with its meaning there; other events leave it unset. A member without a value
// is left out. The order is that of the JSON: keep it.
type Event struct {
	// The kind of the event.
	Kind EventKind `json:"kind"`

	// any: the turn that caused the event; a plan or a notice may have none
	Turn string `json:"turn,omitempty"`

	// any: the conversation of the turn or the plan
	Conversation string `json:"conversation,omitempty"`

	PlanNumber int           `json:"-"` // the plan that the event is about, 0 for none
	Asked      bool          `json:"-"` // turn.finished: the turn asked the user about each operation as it was staged
	Decided    plan.Verdict  `json:"-"` // turn.finished: the message was this decision, an approval or an undo; "" for none
	Printed    string        `json:"-"` // turn.finished: the important lines of the output of the command whose failure ended the turn, "" for none
	Again      bool          `json:"-"` // plan: show it again, since the user asked to see it
	Effects    []plan.Effect `json:"-"` // plan: what to show for the change, in order

	Outcome *Outcome `json:"-"` // plan: the outcome of a decision that became known after its LSP command had returned

	// notice: the plan that is repeated without asking the model
	Reused int `json:"reused,omitempty"`

	// route: the route of the turn: `tools`, `ask`, `text`, `heap`, `proceed`, `render`, `off_topic`, `work_out`, `report` or `outside`
	Route string `json:"route,omitempty"`

	// route: what the message asks for, if it was classified
	Intent *Intent `json:"intent,omitempty"`

	// route: what chose it: `model`, `rules`, `mode`, `slash`, `comment`, `rework`, `approval`, `choice` or `answer`
	By string `json:"by,omitempty"`

	// route: the agent that the user chose for the conversation, if any
	Agent string `json:"agent,omitempty"`

	// route: the reason, in a few words
	Reason string `json:"reason,omitempty"`

	// command: the id of the command's operation
	// tool: the id of the operation, of an approved command that starts; calls of the model have none
	ID string `json:"id,omitempty"`

	// command, trial, outside: `stdout` or `stderr`
	Stream string `json:"stream,omitempty"`

	// turn.finished: the id of the turn's [trace](../records.md#traces), if it has one
	Trace string `json:"trace,omitempty"`

	// token: a part of the reply
	// thought: a part of the reasoning; of a long one, only the beginning is sent
	// command, trial, outside: a part of the output
	// notice: a sentence for the user
	// question: the question
	// doing: the activity, such as `reading a.go` or `waiting for the model`
	// turn.finished: the question that ended the turn, if one did
	Text string `json:"text,omitempty"`

	// question, turn.finished: answers to choose from
	Options []string `json:"options,omitempty"`

	// tool: the tool's name
	// outside: the agent's name
	// doing: the tool that runs; `model` while waiting for the model's reply; `retry` before a request is sent again; `save` while an approved command waits for a save
	Name string `json:"name,omitempty"`

	// doing: milliseconds until the request is sent again
	Wait int64 `json:"waitMs,omitempty"`

	// doing: before a request is sent again: which retry it is, from 1
	Retry int `json:"retry,omitempty"`

	// doing: milliseconds until the request is not sent again any more
	GiveUp int64 `json:"giveUpMs,omitempty"`

	// turn.queued, turn.started: the first line of the message
	// tool: the call in one line
	Summary string `json:"summary,omitempty"`

	// turn.queued: how many turns of the conversation must end before this one starts
	Place int `json:"place,omitempty"`

	// staged, location: the file
	// view: the page, a file under `.redline`
	Path string `json:"path,omitempty"`

	// location: the file
	// view: the page; only over LSP
	URI string `json:"uri,omitempty"`

	// location: the line, from 1; absent if the model named none
	Line int `json:"line,omitempty"`

	// view: `plan`, `chat`, or, if the user asked for it, `trace`
	View string `json:"view,omitempty"`

	// route: the mode that the user chose for the conversation, if any
	// diff_mode: `unified` or `split`
	Mode string `json:"mode,omitempty"`

	// staged: the id of the hunk, if it already has one
	Hunk string `json:"hunk,omitempty"`

	// plan: the plan after the change
	// problems: the plan with the problems
	Plan *Plan `json:"plan,omitempty"`

	// trial: the command and its result, once it has ended
	Trial *Trial `json:"trial,omitempty"`

	// trials: whether trials are allowed, as in the [state](state.md#the-state)
	Trials string `json:"trials,omitempty"`

	// trials: the project says how it is tested
	Checks bool `json:"checks,omitempty"`

	// turn.finished: the model's answer
	Answer string `json:"answer,omitempty"`

	// turn.finished: [what the turn left undone](../plans.md#what-a-turn-leaves-undone), one sentence for each item
	Unfinished []string `json:"unfinished,omitempty"`

	// trace: the step
	// outside: what the agent does, of the kind `outside`
	Step *trace.Step `json:"step,omitempty"`

	// turn.finished: the tokens that the turn used
	Usage *Usage `json:"usage,omitempty"`

	// turn.finished: why the turn failed, in one sentence
	// notice: what went wrong, instead of `text`
	Error string `json:"error,omitempty"`

	// turn.finished: `done`, `failed`, `cancelled` or `waiting`
	State string `json:"state,omitempty"`

	// turn.finished: what specialists did, if any worked
	Specialists *PlanSummary `json:"planSummary,omitempty"`
}

// Editor is the program that holds the user's text. The agent changes files only through
// it. Package lsp implements it over a connection; the command line implements it with
// workspace.Disk and a terminal.
type Editor interface {
	// Apply makes the changes in order and stops at the first that is refused. It returns after
	// it has checked the text for every change that was made. The result has one entry for each
	// change that was begun. An error means that the editor is gone, not that a change was
	// refused.
	//
	// Meanwhile Apply calls landed, unless it is nil, with the number of changes, counted from
	// the first, that the texts have: 1, 2, 3 …, or all at once if they were made in one
	// request. The result may still differ, since a text can change again. Apply waits for
	// landed, and does not call it after a change has failed.
	Apply(ctx context.Context, changes []edits.Change, landed func(n int)) ([]edits.Applied, error)

	// Review shows the proposals of a plan in the editor's own review, where the user
	// accepts or rejects each, and returns when the user has decided, which may take
	// minutes. The result has one entry for each proposal, in order, found from the
	// text: Done if all of it is there, Refused if none of it is, Unverified with
	// Landings and Move if part of it is, and Unknown if the editor did not answer. An
	// error means that the editor is gone.
	Review(ctx context.Context, plan int, proposals []Proposal) ([]edits.Applied, error)

	// Show opens a file at a line, if the editor supports that.
	Show(ctx context.Context, at Location) error

	// CanShow reports whether the editor can show files and pages.
	CanShow() bool

	// Follows reports whether the editor follows every event, so that an event for each file of
	// an execution is useful. For other editors a few are enough.
	Follows() bool

	// ShowsDiffs reports whether the editor shows differences in the way that an event asks for.
	ShowsDiffs() bool

	// Ask asks the user to choose one of a few answers. If the editor cannot ask, or the
	// user does not answer, it returns the zero EditorAnswer.
	Ask(ctx context.Context, q Question) (EditorAnswer, error)

	// Notify sends an event to the editor. It never blocks.
	Notify(Event)
}

// Proposal is one change of a review.
type Proposal struct {
	edits.Change
	Hunks []ProposedHunk // one for each edit of an update or rename; exactly one for a creation or deletion
}

// ProposedHunk describes a hunk to the user in a review.
type ProposedHunk struct {
	ID             string
	Added, Removed int // lines
}

// Location is a line of a file.
type Location struct {
	Path string // in the workspace
	Line int    // from 0
}

// Question is a question to the user.
type Question struct {
	Conversation string // the conversation whose turn asks; "" for none

	Text    string
	Detail  string   // a unified diff for the question, shown if there is room; "" for none
	Options []string // the possible answers
	Instead string   // what to do in an editor that cannot offer the options: "approve it where it is shown"; "" if whoever asks says it
	Open    bool     // the user may also answer in the chat with other words, so an editor that cannot offer the options shows nothing
}

// EditorAnswer is what the user chose: one of the options, or "" for none.
type EditorAnswer struct{ Choice string }
