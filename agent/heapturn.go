package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"redline/agent/draft"
	"redline/agent/loop"
	"redline/agent/model"
	"redline/agent/plan"
	"redline/agent/specialists"
	"redline/agent/tool"
	"redline/agent/trace"
)

// orchestrate has a planner say which specialists work on a request, and has them work level
// by level, each in a draft of its own. What they have staged is in r.Env.Draft in the
// end. The error is ctx's; every other failure is in the outcome.
func orchestrate(ctx context.Context, host orchestratorHost, r orchestratorRequest) (*orchestratorOutcome, error) {
	h := newOrchestrator(host, r)
	defer h.charge()
	timed, cancel := h.clock(ctx)
	defer cancel()
	var err error
	if h.Parked != nil && h.Parked.Plan != nil {
		err = h.continuePlan(timed)
	} else {
		err = h.makePlan(timed)
	}
	if err == nil && h.asks == nil {
		h.run(timed)
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if q := h.question(); q != nil && err == nil {
		return &orchestratorOutcome{Question: q, Parked: h.park(), Summary: h.summary()}, nil
	}
	return h.conclude(h.limited(timed, err)), nil
}

// orchestrator is a request that specialists work on.
type orchestrator struct {
	orchestratorRequest
	host   orchestratorHost
	budget *specialists.Budget
	calls  loop.Calls // of all specialists

	old     []plan.Step // of the plan that is reworked
	lastOld int         // the number of its last one

	plan      *specialists.Plan
	steps     []plan.Step // of the assignments
	forks     forks
	done      []specialists.Result // before the user was asked, of a turn that continues
	asks      *tool.Question       // of the planner
	results   []specialists.Result
	conflicts []conflict
}

func newOrchestrator(host orchestratorHost, r orchestratorRequest) *orchestrator {
	h := &orchestrator{
		orchestratorRequest: r, host: host,
		budget: specialists.NewBudget(r.Limits.Requests, r.Limits.Tokens),
		forks:  forks{of: map[string]*draft.Draft{}},
	}
	h.findOldSteps()
	h.Message += r.Answers
	h.Place = strings.TrimSpace(r.Place + r.Answers)
	if r.Parked != nil {
		for _, text := range r.Parked.Conflicts {
			h.conflicts = append(h.conflicts, conflict{text: text})
		}
	}
	return h
}

// errTooLong is why a turn of specialists ended that took too long.
var errTooLong = fmt.Errorf("the turn took too long: %w", context.DeadlineExceeded)

// clock returns the context that the whole turn works under.
func (h *orchestrator) clock(ctx context.Context) (context.Context, context.CancelFunc) {
	if h.Limits.Wall <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, h.Limits.Wall, errTooLong)
}

// limited puts what a limit has ended into the limit's words.
func (h *orchestrator) limited(ctx context.Context, err error) error {
	if err != nil && errors.Is(context.Cause(ctx), errTooLong) {
		return &specialists.LimitError{Reason: fmt.Sprintf("The turn was ended after %s, the limit for one turn; what was staged until then is kept.", h.Limits.Wall)}
	}
	return err
}

// charge notes what the turn has cost so far.
func (h *orchestrator) charge() {
	h.host.Charge(h.budget.Used())
}

// traceStep is a step of the trace that tells of specialists.
type traceStep struct {
	Kind       trace.Kind
	Specialist string
	PlanStep   string         // id of the plan's step
	Summary    string         // one line, for the user
	Detail     map[string]any // what else there is to know, as JSON has it
}

// trace records one step in the trace of the turn.
func (h *orchestrator) trace(s traceStep) {
	var detail []string
	if s.PlanStep != "" {
		detail = append(detail, "step: "+s.PlanStep)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Detail)) {
		value, err := json.Marshal(s.Detail[name])
		if err != nil {
			continue // it cannot be said
		}
		detail = append(detail, name+": "+string(value))
	}
	h.host.Record(trace.Step{Kind: s.Kind, Name: s.Specialist, Summary: s.Summary, Detail: strings.Join(detail, "\n")})
}

// ask makes one request without tools, and returns the text of the reply.
func (h *orchestrator) ask(ctx context.Context, messages []model.Message) (string, error) {
	reply, err := h.budget.Provider(model.For(h.Model, model.Planning), nil, nil).Complete(ctx, model.Request{Messages: messages}, nil)
	return reply.Text, err
}
