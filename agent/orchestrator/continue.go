package orchestrator

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
	"redline/agent/trace"
	"redline/internal/phrase"
)

// continuePlan has the planner update the plan by the user's answer. What is done
// stays done. If it cannot be understood, what is left of the plan is done as it was.
func (o *orchestration) continuePlan(ctx context.Context) error {
	k := o.Parked
	for _, r := range slices.Concat(k.Done, k.Results) {
		if r.State != specialists.Skipped {
			o.done = append(o.done, r.result(o.Registry))
		}
	}
	for _, s := range k.Steps { // they keep their names, also those that have nothing staged
		if n, err := strconv.Atoi(strings.TrimPrefix(s.ID, "s")); err == nil {
			o.lastOld = max(o.lastOld, n)
		}
		worked := slices.ContainsFunc(o.done, func(r specialists.Result) bool { return r.Step == s.ID })
		if known := slices.ContainsFunc(o.old, func(old plan.Step) bool { return old.ID == s.ID }); worked && !known {
			o.old = append(o.old, s)
		}
	}
	next, err := o.askAgain(ctx, k)
	if err != nil || o.asks != nil {
		return err
	}
	o.plan = next
	o.plan.KeepContext(k.Plan)
	return o.settlePlan(ctx, o.Answer)
}

// askAgain asks the planner how to go on, once more if its answer cannot be used.
func (o *orchestration) askAgain(ctx context.Context, k *Parked) (*specialists.Plan, error) {
	asked := specialists.ContinueRequest(o.host.Prompt("planner"), o.host.Prompt("replan"), o.Registry, o.soFar(k)+o.Rework)
	for attempt := 1; attempt <= 2; attempt++ {
		o.trace(traceStep{Kind: trace.PlannerRequest, Summary: "the planner is asked to go on", Detail: map[string]any{"attempt": attempt, "messages": told(asked)}})
		answer, err := o.ask(ctx, asked)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if limit, ok := errors.AsType[*specialists.LimitError](err); ok {
			return nil, limit
		}
		if err == nil && o.plannerAsks(answer) {
			return nil, nil
		}
		var p *specialists.Plan
		if err == nil {
			var remove []string
			if p, remove, err = specialists.ParseContinuation(answer, o.Registry, o.mostSteps()); err == nil && len(remove) > 0 {
				err = o.remove(ctx, remove)
			}
		} else {
			attempt = 2
		}
		o.trace(traceStep{Kind: trace.PlannerResponse, Summary: summaryOf(p, err), Detail: map[string]any{"attempt": attempt, "text": phrase.StartBytes(answer, 16<<10)}})
		if err == nil {
			if p.RefinedTask == "" {
				p.RefinedTask = k.Plan.RefinedTask
			}
			return p, nil
		}
		asked = specialists.Again(asked, answer, o.host.Prompt("again"), err)
	}
	rest := k.Plan.Rest(func(i int) bool { return i < len(k.Results) && k.Results[i].over() })
	rest.Notes = append(rest.Notes, "The planner could not take the answer into the plan; each specialist was told it.")
	return rest, nil
}

// remove takes out what the planner says the answer makes needless.
func (o *orchestration) remove(ctx context.Context, names []string) error {
	d, err := o.host.TakeOut(ctx, o.Env.Draft, names)
	if err != nil {
		return err
	}
	o.Env.Draft = d
	return nil
}

// soFar tells the planner the request, its plan and what has become of it.
func (o *orchestration) soFar(k *Parked) string {
	var b strings.Builder
	b.WriteString(o.Message)
	if text, err := json.MarshalIndent(map[string]any{
		"refinedTask": k.Plan.RefinedTask, "extractedContext": k.Plan.Context, "instructions": k.Plan.Instructions,
	}, "", "  "); err == nil {
		fmt.Fprintf(&b, "\n\n[The plan: %s]\n%s", k.Plan.Route(), text)
	}
	b.WriteString("\n\n[What has become of it]")
	for _, p := range slices.Concat(k.Done, k.Results) {
		r := p.result(o.Registry)
		b.WriteString("\n- " + strings.ReplaceAll(r.Told(), "\n", "\n  "))
	}
	b.WriteString("\n\n[Staged]\n" + o.host.Staged(o.Env.Draft))
	return b.String()
}
