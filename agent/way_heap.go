package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"redline/agent/agentfiles"
	"redline/agent/conversation"
	"redline/agent/draft"
	"redline/agent/loop"
	"redline/agent/model"
	"redline/agent/plan"
	"redline/agent/specialists"
	"redline/agent/tool"
	"redline/agent/trace"
)

// wayHeap is the way of a request that several specialists work on: a planner
// says who, they work level by level, each in a draft of its own, and what all of
// them have staged is one revision.
func (a *Agent) wayHeap(ctx context.Context, w *work) error {
	if err := a.openDraft(ctx, w); err != nil {
		return err
	}
	defer a.endRevision(w.revised)
	h, err := a.newHeapTurn(ctx, w)
	if err != nil {
		return err
	}
	defer h.charge()
	timed, cancel := h.clock(ctx)
	defer cancel()
	if c := w.continued; c != nil && c.parked.Heap != nil && c.parked.Heap.Plan != nil {
		err = h.continuePlan(timed)
	} else {
		err = h.makePlan(timed)
	}
	if err == nil && h.asks == nil {
		h.run(timed)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	h.charge()
	if q := h.question(); q != nil && err == nil {
		return h.park(ctx, q)
	}
	return h.conclude(ctx, h.limited(timed, err))
}

// byHeap is the route of a message that was left open when the user's settings
// have specialists work.
func (a *Agent) byHeap(t *turn, route string) string {
	m := &t.request
	open := route == routeTools && (m.Mode == "" || m.Mode == "auto") && m.Comment == nil && m.Revise == 0
	if !open || !a.heapOn {
		return route
	}
	if a.asksEach(t.Conversation) {
		return route // a user who is asked about each operation is asked by one
	}
	return routeHeap
}

// heapTurn is a turn of specialists.
type heapTurn struct {
	a        *Agent
	w        *work
	registry *specialists.Registry
	tools    []tool.Tool // that any of them may have
	env      *tool.Env   // of the turn; each works in a draft of its own
	budget   *specialists.Budget
	calls    loop.Calls // of all of them
	message  string     // the request, with the place that it was made at
	place    string     // that place alone
	recent   string     // what was said before
	rework   string     // for the specialists: the plan that is reworked, "" for none

	old     []plan.Step // of the plan that is reworked
	lastOld int         // the number of its last one

	plan      *specialists.Plan
	steps     []plan.Step // of the assignments
	forks     forks
	done      []specialists.Result // before the user was asked, of a turn that goes on
	asks      *tool.Question       // of the planner
	results   []specialists.Result
	conflicts []conflict
}

func (a *Agent) newHeapTurn(ctx context.Context, w *work) (*heapTurn, error) {
	env := a.env(w)
	tools := a.reach.With(ctx, agentfiles.Tools(tool.All()), env, w.turn.Warn)
	registry, notices := a.agentFiles.Registry(tools)
	for _, n := range notices {
		if a.session.First(n) {
			w.turn.Warn(n)
		}
	}
	system, err := a.changeSystem(ctx, w.revised)
	if err != nil {
		return nil, err
	}
	m := w.turn.request
	request := &w.turn.request
	if w.continued != nil {
		request = &w.continued.request
		m = *request
	}
	h := &heapTurn{
		a: a, w: w, registry: registry, tools: tools, env: env,
		budget:  specialists.NewBudget(a.limits.Requests, a.limits.Tokens),
		message: a.userMessage(ctx, w.turn, request, w.draft).Content,
		recent:  specialists.Recent(a.said(w.turn.Conversation)),
		rework:  strings.TrimPrefix(system, a.prompt("system")+"\n"+a.prompt("steps")),
		forks:   forks{of: map[string]*draft.Draft{}},
	}
	h.findOldSteps()
	h.place = strings.TrimSpace(strings.TrimPrefix(h.message, m.Text))
	h.addAnswers()
	return h, nil
}

// errHeapWall is why a turn of specialists ended that took too long.
var errHeapWall = fmt.Errorf("the turn took too long: %w", context.DeadlineExceeded)

// clock returns the context that the whole turn works under.
func (h *heapTurn) clock(ctx context.Context) (context.Context, context.CancelFunc) {
	if h.a.limits.Wall <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, h.a.limits.Wall, errHeapWall)
}

// limited puts what a limit has ended into the limit's words.
func (h *heapTurn) limited(ctx context.Context, err error) error {
	if err != nil && errors.Is(context.Cause(ctx), errHeapWall) {
		return &specialists.LimitError{Reason: fmt.Sprintf("The turn was ended after %s, the limit for one turn; what was staged until then is kept.", h.a.limits.Wall)}
	}
	return err
}

// charge notes what the turn has cost so far.
func (h *heapTurn) charge() {
	used := h.budget.Used()
	h.w.turn.Update(func(r *conversation.Result) { r.Usage = asUsage(h.w.aside.Plus(used)) })
}

// heapStep is a step of the trace that tells of specialists.
type heapStep struct {
	Kind       trace.Kind
	Specialist string
	PlanStep   string         // id of the plan's step
	Summary    string         // one line, for the user
	Detail     map[string]any // what else there is to know, as JSON has it
}

// trace records one step in the trace of the turn.
func (h *heapTurn) trace(s heapStep) {
	r := h.a.traces.Of(h.w.turn.ID)
	if r == nil {
		return
	}
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
	r.Record(trace.Step{Kind: s.Kind, Name: s.Specialist, Summary: s.Summary, Detail: strings.Join(detail, "\n")})
}

// ask makes one request without tools, and returns the text of the reply.
func (h *heapTurn) ask(ctx context.Context, messages []model.Message) (string, error) {
	reply, err := h.budget.Provider(model.For(h.a.model, model.Planning), nil, nil).Complete(ctx, model.Request{Messages: messages}, nil)
	return reply.Text, err
}
