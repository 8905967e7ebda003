package orchestrator

import (
	"context"

	"redline/agent/draft"
	"redline/agent/loop"
	"redline/agent/model"
	"redline/agent/plan"
	"redline/agent/specialists"
	"redline/agent/tool"
	"redline/agent/trace"
)

// A Host is the turn that specialists work for. Its methods may be called from several
// goroutines at a time.
type Host interface {
	// Prompt returns the prompt of a name: the user's own if there is one.
	Prompt(name string) string
	// Spawn runs f on a goroutine that the session waits for when it closes.
	Spawn(f func())
	// Record adds a step to the trace of the turn.
	Record(trace.Step)
	// Charge sets what all requests to models have used so far.
	Charge(model.Usage)
	// Failed logs why a specialist failed.
	Failed(error)
	// Hooks returns the hooks that report the work in a draft to the user; nil means the turn's.
	Hooks(*draft.Draft) loop.Hooks
	// Messages returns what a turn without specialists sends for the request: a system prompt that
	// begins with system, the conversation, the plan that is revised, about, "" for nothing, and the
	// user's message.
	Messages(ctx context.Context, system, about string) ([]model.Message, error)
	// Replay returns the function that stages an operation again.
	Replay() draft.Replay
	// Staged lists what the turn has staged in a draft, under the names that TakeOut
	// knows. Both are called only for a turn that continues after a question.
	Staged(*draft.Draft) string
	// TakeOut returns the draft without the named operations. The error is one for the
	// model.
	TakeOut(ctx context.Context, d *draft.Draft, names []string) (*draft.Draft, error)
}

// Request is the work for the specialists, and what they may use for it.
type Request struct {
	Text    string // the user's request
	Answer  string // to the question that the turn continues after, "" for none
	Message string // the request as models are sent it, with the place where it was made
	Place   string // that place alone, "" for none
	Recent  string // what was said before
	Rework  string // the part of prompts about the plan that is revised, for several specialists; "" for none
	Answers string // the questions of the request so far, with their answers
	MayAsk  bool   // the request may ask the user one more question

	Registry *specialists.Registry
	Tools    []tool.Tool // all that specialists may be given
	Env      *tool.Env   // of the turn, with its draft; each specialist works in a fork of the draft
	Model    model.Provider
	Limits   loop.Limits // for all specialists together
	Steps    []plan.Step // of the plan that is revised
	Parked   *Parked     // the state at the question after which the turn continues, nil for none
}

// Outcome is the result of the specialists' work.
type Outcome struct {
	Question *tool.Question       // a question to the user before the work continues, nil for none
	Parked   *Parked              // what a later turn needs to continue; set with a Question
	Summary  *specialists.Summary // nil if there is no plan

	// These are set without a Question.
	Steps   []plan.Step     // of the plan, also those before
	Answer  string          // what the specialists say, then the notices
	Notices []string        // what else the user has to know, a sentence each
	Undone  plan.Unfinished // what was left undone; says nothing of refused edits
	Err     error           // why no specialist finished, nil if one did

	details string // of the description, after the answer
}
