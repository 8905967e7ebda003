package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"redline/agent/plan"
	"redline/agent/specialists"
	"redline/agent/tool"
	"redline/agent/trace"
	"redline/internal/phrase"
)

// Parked is what a turn of specialists needs besides to go on: the plan, and
// what has become of it. Plan is nil when the planner itself has asked.
type Parked struct {
	Plan      *specialists.Plan `json:"plan,omitempty"`
	Results   []parkedResult    `json:"results,omitempty"` // of the plan's assignments
	Done      []parkedResult    `json:"done,omitempty"`    // of those before an earlier question
	Steps     []plan.Step       `json:"steps,omitempty"`   // of all of them
	Conflicts []string          `json:"conflicts,omitempty"`
}

// parkedResult is what has become of one specialist's work.
type parkedResult struct {
	Specialist string            `json:"specialist"`
	Step       string            `json:"step"`
	State      specialists.State `json:"state"`
	Summary    string            `json:"summary,omitempty"`
	Reason     string            `json:"reason,omitempty"`
	Question   string            `json:"question,omitempty"`
}

func parkResults(results []specialists.Result) []parkedResult {
	var out []parkedResult
	for _, r := range results {
		out = append(out, parkedResult{Specialist: r.Specialist.ID, Step: r.Step, State: r.State, Summary: r.Summary, Reason: r.Reason, Question: r.Question})
	}
	return out
}

// result is the result again. A specialist that there is not any more has a name.
func (p parkedResult) result(r *specialists.Registry) specialists.Result {
	s := r.Find(p.Specialist)
	if s == nil {
		s = &specialists.Specialist{ID: p.Specialist}
	}
	return specialists.Result{Job: specialists.Job{Specialist: s, Step: p.Step}, State: p.State, Summary: p.Summary, Reason: p.Reason, Question: p.Question}
}

// over tells whether an assignment is done, so that it is not done again.
func (p parkedResult) over() bool {
	return p.State == specialists.Done || p.State == specialists.Failed
}

// plannerAsks takes an answer of the planner that is a question to the user.
func (h *orchestrator) plannerAsks(answer string) bool {
	text, options, ok := specialists.ParseQuestion(answer)
	if !ok || !h.MayAsk {
		return false
	}
	q, err := tool.NewQuestion(text, options)
	if err != nil {
		return false // it is asked again, for a plan
	}
	h.asks = q
	h.trace(traceStep{Kind: trace.PlannerResponse, Summary: "the planner asks the user"})
	return true
}

// park returns what a later turn needs to continue once the user has answered.
func (h *orchestrator) park() *Parked {
	p := &Parked{Steps: slices.Concat(h.old, h.steps), Done: parkResults(h.done)}
	for _, c := range h.conflicts {
		p.Conflicts = append(p.Conflicts, c.text)
	}
	if h.asks == nil {
		p.Plan, p.Results = h.plan, parkResults(h.results)
	}
	return p
}

// question is what the user is to be asked: by the planner, or by the specialists
// that wait. Questions of several are put as one.
func (h *orchestrator) question() *tool.Question {
	if h.asks != nil {
		return h.asks
	}
	var q tool.Question
	n := 0
	for _, r := range h.results {
		if r.Question == "" {
			continue
		}
		n++
		text := r.Question
		if len(h.results) > 1 {
			text = r.Specialist.ID + ": " + text
		}
		q.Text = strings.TrimSpace(q.Text + "\n\n" + text)
		q.Options = r.Options
	}
	switch n {
	case 0:
		return nil
	case 1:
		return &q
	}
	q.Options = nil // an option answers one of them
	return &q
}

// continuePlan has the planner update the plan by the user's answer. What is done
// stays done. If it cannot be understood, what is left of the plan is done as it was.
func (h *orchestrator) continuePlan(ctx context.Context) error {
	k := h.Parked
	for _, r := range slices.Concat(k.Done, k.Results) {
		if r.State != specialists.Skipped {
			h.done = append(h.done, r.result(h.Registry))
		}
	}
	for _, s := range k.Steps { // they keep their names, also those that have nothing staged
		if n, err := strconv.Atoi(strings.TrimPrefix(s.ID, "s")); err == nil {
			h.lastOld = max(h.lastOld, n)
		}
		worked := slices.ContainsFunc(h.done, func(r specialists.Result) bool { return r.Step == s.ID })
		if known := slices.ContainsFunc(h.old, func(o plan.Step) bool { return o.ID == s.ID }); worked && !known {
			h.old = append(h.old, s)
		}
	}
	next, err := h.askAgain(ctx, k)
	if err != nil || h.asks != nil {
		return err
	}
	h.plan = next
	h.plan.KeepContext(k.Plan)
	return h.settlePlan(ctx)
}

// askAgain asks the planner how to go on, once more if its answer cannot be used.
func (h *orchestrator) askAgain(ctx context.Context, k *Parked) (*specialists.Plan, error) {
	asked := specialists.ContinueRequest(h.host.Prompt("planner"), h.host.Prompt("replan"), h.Registry, h.soFar(k)+h.Rework)
	for attempt := 1; attempt <= 2; attempt++ {
		h.trace(traceStep{Kind: trace.PlannerRequest, Summary: "the planner is asked to go on", Detail: map[string]any{"attempt": attempt, "messages": told(asked)}})
		answer, err := h.ask(ctx, asked)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if limit, ok := errors.AsType[*specialists.LimitError](err); ok {
			return nil, limit
		}
		if err == nil && h.plannerAsks(answer) {
			return nil, nil
		}
		var p *specialists.Plan
		if err == nil {
			var remove []string
			if p, remove, err = specialists.ParseContinuation(answer, h.Registry, h.mostSteps()); err == nil && len(remove) > 0 {
				err = h.remove(ctx, remove)
			}
		} else {
			attempt = 2
		}
		h.trace(traceStep{Kind: trace.PlannerResponse, Summary: summaryOf(p, err), Detail: map[string]any{"attempt": attempt, "text": phrase.StartBytes(answer, 16<<10)}})
		if err == nil {
			if p.RefinedTask == "" {
				p.RefinedTask = k.Plan.RefinedTask
			}
			return p, nil
		}
		asked = specialists.Again(asked, answer, h.host.Prompt("again"), err)
	}
	rest := k.Plan.Rest(func(i int) bool { return i < len(k.Results) && k.Results[i].over() })
	rest.Notes = append(rest.Notes, "The planner could not take the answer into the plan; each specialist was told it.")
	return rest, nil
}

// remove takes out what the planner says the answer makes needless.
func (h *orchestrator) remove(ctx context.Context, names []string) error {
	d, err := h.host.TakeOut(ctx, h.Env.Draft, names)
	if err != nil {
		return err
	}
	h.Env.Draft = d
	return nil
}

// soFar tells the planner the request, its plan and what has become of it.
func (h *orchestrator) soFar(k *Parked) string {
	var b strings.Builder
	b.WriteString(h.Message)
	if text, err := json.MarshalIndent(map[string]any{
		"refinedTask": k.Plan.RefinedTask, "extractedContext": k.Plan.Context, "instructions": k.Plan.Instructions,
	}, "", "  "); err == nil {
		fmt.Fprintf(&b, "\n\n[The plan: %s]\n%s", k.Plan.Route(), text)
	}
	b.WriteString("\n\n[What has become of it]")
	for _, p := range slices.Concat(k.Done, k.Results) {
		r := p.result(h.Registry)
		b.WriteString("\n- " + strings.ReplaceAll(r.Told(), "\n", "\n  "))
	}
	b.WriteString("\n\n[Staged]\n" + h.host.Staged(h.Env.Draft))
	return b.String()
}
