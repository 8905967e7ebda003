// Package orchestrator has several specialists work on one request: it asks a planner who
// works on what, runs them level by level within the limits of one turn, joins what they
// staged into one draft, and continues after a question to the user. If one is enough, it works
// as the turn would without specialists. The turn that they work for is a [Host]. Who there is,
// and what each of them reads, is in package specialists.
package orchestrator

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"redline/agent/draft"
	"redline/agent/loop"
	"redline/agent/plan"
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
