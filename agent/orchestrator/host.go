package orchestrator

import (
	"context"

	"redline/agent/draft"
	"redline/agent/loop"
	"redline/agent/model"
	"redline/agent/plan"
	"redline/agent/state"
	"redline/agent/tool"
	"redline/agent/trace"
)

// Host is the turn that specialists work for. Its methods may be called concurrently.
type Host interface {
	// Prompt returns the prompt with a name: the user's own if there is one.
	Prompt(name string) string
	// Spawn runs f on a goroutine that the session waits for when it closes.
	Spawn(f func())
	// Record adds a step to the trace of the turn.
	Record(trace.Step)
	// Charge sets the usage of all requests to models so far.
	Charge(model.Usage)
	// Failed logs why a specialist failed.
	Failed(error)
	// Offered notes the tools that a specialist begins with.
	Offered([]tool.Tool)
	// Check tries the project's checks on a draft, or of these only those that have failed, and
	// returns what fails. It tries nothing where the user does not allow it, and not again what was
	// tried on the same texts.
	Check(ctx context.Context, d *draft.Draft, failed []Failure) []Failure
	// Hooks returns the hooks that report the work in a draft to the user; nil means the turn's.
	Hooks(*draft.Draft) loop.Hooks
	// Messages returns what a turn without specialists sends for the request: a system prompt
	// that begins with system, the conversation, the plan that is revised, about (which may be
	// ""), and the user's message.
	Messages(ctx context.Context, system, about string) ([]model.Message, error)
	// Replay returns the function that stages an operation again.
	Replay() draft.Replay
	// Staged lists what the turn has staged in a draft, under names that TakeOut accepts. Both
	// are called only for a turn that continues after a question.
	Staged(*draft.Draft) string
	// TakeOut returns the draft without the named operations. The error is meant for the model.
	TakeOut(ctx context.Context, d *draft.Draft, names []string) (*draft.Draft, error)
}

// Request is the work for the specialists, and what they may use for it.
type Request struct {
	Text    string // the user's request
	Answer  string // the answer to the question after which the turn continues, "" for none
	Message string // the request in the form that models get, with the place where it was made
	Place   string // only that place, "" for none
	Recent  string // the earlier messages of the conversation
	Rework  string // the part of prompts about the plan that is revised, for several specialists; "" for none
	Answers string // the answered questions of the request so far
	MayAsk  bool   // the request may ask the user one more question

	Registry *Registry
	Tools    []tool.Tool // all tools that specialists may be given
	Env      *tool.Env   // the turn's, with its draft; each specialist works in a fork of the draft
	Model    model.Provider
	Limits   loop.Limits // for all specialists together
	Steps    []plan.Step // ids of the revised plan's steps
	Parked   *Parked     // the state at the question after which the turn continues, nil for none
}

// Outcome is the result of the specialists' work.
type Outcome struct {
	Question *tool.Question     // a question to the user before the work continues, nil for none
	Parked   *Parked            // what a later turn needs to continue; set with Question
	Summary  *state.PlanSummary // nil if there is no plan

	// Set only if Question is nil.
	Steps   []plan.Step     // the steps of the plan, including earlier ones
	Answer  string          // the specialists' answer, then the notices
	Notices []string        // what else the user must know, one sentence each
	Undone  plan.Unfinished // what was left undone, except for refused edits
	Err     error           // why no specialist finished, nil if one did

	details string // the part of the description after the answer
}
