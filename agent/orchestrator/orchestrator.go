// Package orchestrator has several specialists work on one request, within the limits of one turn.
//
// A [Registry] has the specialists: the built-in ones, and those of agent files. [Run] asks a
// planner which of them work on what ([planRequest], [ParsePlan]); if it gives no usable answer,
// keywords choose ([Fallback]). They work level by level, each in a fork of the turn's draft, and
// read their task ([Plan.Task]) and what the earlier ones have staged. If one is enough, it works
// as the turn would without specialists. A question to the user parks the work, and the next turn
// continues it. The turn that they work for is a [Host].
package orchestrator

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"redline/agent/draft"
	"redline/agent/loop"
	"redline/agent/model"
	"redline/agent/plan"
	"redline/agent/state"
	"redline/agent/tool"
	"redline/agent/trace"
)

// Run asks a planner which specialists work on a request, and runs them level by level, each in
// its own draft. In the end r.Env.Draft has what they staged. The error is ctx's; all other
// failures are in the outcome.
func Run(ctx context.Context, host Host, r Request) (*Outcome, error) {
	o := newOrchestration(host, r)
	defer o.charge()
	timed, cancel := o.clock(ctx)
	defer cancel()
	var err error
	if o.Parked != nil && o.Parked.Plan != nil {
		err = o.continuePlan(timed)
	} else {
		err = o.makePlan(timed)
	}
	if err == nil && o.asks == nil {
		o.runLevels(timed)
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if q := o.question(); q != nil && err == nil {
		return &Outcome{Question: q, Parked: o.park(), Summary: o.summary()}, nil
	}
	if err == nil {
		if o.check(timed); ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	return o.conclude(o.limited(timed, err)), nil
}

// orchestration is the state of the work on one request.
type orchestration struct {
	Request
	host   Host
	budget *budget
	calls  loop.Calls // usage of all specialists

	old     []plan.Step // steps of the revised plan that stay
	lastOld int         // the number of the last step of that plan

	plan      *Plan
	alone     bool           // one specialist does the turn alone
	steps     []plan.Step    // results of the assignments
	forks     []*draft.Draft // drafts of the running specialists, by assignment
	done      []Result       // results from before the question, if the turn continues
	asks      *tool.Question // the planner's question, nil for none
	waits     *Plan          // the plan that came with it and waits for the answer, nil for none
	results   []Result
	again     []Result // of those that fixed what checks found in their files
	conflicts []conflict
}

func newOrchestration(host Host, r Request) *orchestration {
	o := &orchestration{
		Request: r, host: host,
		budget: newBudget(r.Limits.Requests, r.Limits.Tokens),
	}
	o.findOldSteps()
	o.Message += r.Answers
	o.Place = strings.TrimSpace(r.Place + r.Answers)
	if r.Parked != nil {
		for _, text := range r.Parked.Conflicts {
			o.conflicts = append(o.conflicts, conflict{text: text})
		}
	}
	return o
}

// charge tells the host the usage of all requests so far.
func (o *orchestration) charge() {
	o.host.Charge(o.budget.spent())
}

// traceStep is a step of the trace about specialists.
type traceStep struct {
	Kind       trace.Kind
	Specialist string
	PlanStep   string         // id of the plan's step
	Summary    string         // one line, for the user
	Detail     map[string]any // more about it, each value shown as JSON
}

// trace adds a step to the trace of the turn.
func (o *orchestration) trace(s traceStep) {
	var detail []string
	if s.PlanStep != "" {
		detail = append(detail, "step: "+s.PlanStep)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Detail)) {
		value, err := json.Marshal(s.Detail[name])
		if err != nil {
			continue // left out, because JSON cannot express it
		}
		detail = append(detail, name+": "+string(value))
	}
	o.host.Record(trace.Step{Kind: s.Kind, Name: s.Specialist, Summary: s.Summary, Detail: strings.Join(detail, "\n")})
}

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

// budget limits the requests and tokens of a turn, for all specialists together. It is safe
// for concurrent use.
type budget struct {
	requests, tokens int // limits; tokens is 0 for none

	mu   sync.Mutex
	made int
	used model.Usage
}

// limitError says which limit a request would exceed, in words for the user.
type limitError struct{ Reason string }

func (e *limitError) Error() string { return e.Reason }

// newBudget returns a budget. 0 requests means 50; 0 tokens means no limit.
func newBudget(requests, tokens int) *budget {
	return &budget{requests: cmp.Or(requests, 50), tokens: tokens}
}

// spent returns the tokens used so far.
func (b *budget) spent() model.Usage {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.used
}

// take counts a request, or returns a [*limitError] if it would exceed a limit.
func (b *budget) take() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	used := b.used.Prompt + b.used.Completion
	switch {
	case b.made >= b.requests:
		return &limitError{fmt.Sprintf("The turn was ended after %d requests to the model, the limit for one turn; what was staged until then is kept.", b.made)}
	case b.tokens > 0 && used >= b.tokens:
		return &limitError{fmt.Sprintf("The turn was ended after %d tokens, over the limit of %d for one turn; what was staged until then is kept.", used, b.tokens)}
	}
	b.made++
	return nil
}

// provider returns p limited by the budget, with the model and the temperature of s, which
// may be nil. It calls calls, which may be nil, for each call in a reply. A request over the
// limit fails with a [*limitError].
func (b *budget) provider(p model.Provider, s *Specialist, calls func(model.Call)) model.Provider {
	return &budgeted{Provider: p, budget: b, specialist: s, calls: calls}
}

type budgeted struct {
	model.Provider
	budget     *budget
	specialist *Specialist
	calls      func(model.Call)
}

// Complete completes a request within the budget.
func (p *budgeted) Complete(ctx context.Context, req model.Request, onEvent func(model.Event)) (model.Reply, error) {
	if err := p.budget.take(); err != nil {
		return model.Reply{}, err
	}
	if s := p.specialist; s != nil {
		req.Model, req.Temperature = cmp.Or(s.Model, req.Model), cmp.Or(s.Temperature, req.Temperature)
	}
	reply, err := p.Provider.Complete(ctx, req, onEvent)
	p.budget.mu.Lock()
	p.budget.used = p.budget.used.Plus(reply.Usage)
	p.budget.mu.Unlock()
	if p.calls != nil {
		for _, c := range reply.Calls {
			p.calls(c)
		}
	}
	return reply, err
}

// errTooLong is the cause of a context whose turn took too long.
var errTooLong = fmt.Errorf("the turn took too long: %w", context.DeadlineExceeded)

// clock returns a context that ends at the time limit of the turn.
func (o *orchestration) clock(ctx context.Context) (context.Context, context.CancelFunc) {
	if o.Limits.Wall <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, o.Limits.Wall, errTooLong)
}

// limited returns a [*limitError] if the time limit caused err, else err.
func (o *orchestration) limited(ctx context.Context, err error) error {
	if err != nil && errors.Is(context.Cause(ctx), errTooLong) {
		return &limitError{Reason: fmt.Sprintf("The turn was ended after %s, the limit for one turn; what was staged until then is kept.", o.Limits.Wall)}
	}
	return err
}
