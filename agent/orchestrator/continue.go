package orchestrator

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"redline/agent/plan"
)

// continuePlan asks the planner to update the plan after the user's answer. Finished assignments
// are not repeated. If the planner fails, the rest of the plan stays. If one specialist did the
// turn alone, the planner is not asked.
func (o *orchestration) continuePlan(ctx context.Context) error {
	k := o.Parked
	if o.continueAlone(k) {
		return nil
	}
	for _, r := range slices.Concat(k.Done, k.Results) {
		if r.State != Skipped {
			o.done = append(o.done, r.result(o.Registry))
		}
	}
	for _, s := range k.Steps { // steps keep their ids, even those with nothing staged
		o.lastOld = max(o.lastOld, numberOf(s))
		worked := slices.ContainsFunc(o.done, func(r Result) bool { return r.Step == s.ID })
		if known := slices.ContainsFunc(o.old, func(old plan.Step) bool { return old.ID == s.ID }); worked && !known {
			o.old = append(o.old, s)
		}
	}
	next, err := o.replan(ctx, k)
	if err != nil || o.asks != nil {
		return err
	}
	o.plan = next
	o.plan.InheritContext(k.Plan)
	return o.completePlan(ctx, o.Answer)
}

// replan asks the planner how to continue. It returns nil if the planner asks the user.
func (o *orchestration) replan(ctx context.Context, k *Parked) (*Plan, error) {
	messages := ContinueRequest(o.host.Prompt("planner"), o.host.Prompt("replan"), o.Registry, o.soFar(k)+o.Rework)
	p, err := o.consult(ctx, "the planner is asked to continue", messages, func(object string) (*Plan, error) {
		p, remove, err := ParseContinuation(object, o.Registry, o.mostSteps())
		if err == nil && len(remove) > 0 {
			err = o.remove(ctx, remove)
		}
		return p, err
	})
	if err != nil || o.asks != nil {
		return nil, err
	}
	if p == nil {
		p = k.Plan.Rest(func(i int) bool { return i < len(k.Results) && k.Results[i].over() })
		p.Notes = append(p.Notes, "The planner could not use the answer for the plan; each specialist got it.")
		return p, nil
	}
	p.RefinedTask = cmp.Or(p.RefinedTask, k.Plan.RefinedTask)
	return p, nil
}

// remove takes out the staged operations that the planner no longer wants.
func (o *orchestration) remove(ctx context.Context, names []string) error {
	d, err := o.host.TakeOut(ctx, o.Env.Draft, names)
	if err != nil {
		return err
	}
	o.Env.Draft = d
	return nil
}

// soFar describes the request, the plan, its results and the draft to the planner.
func (o *orchestration) soFar(k *Parked) string {
	var b strings.Builder
	b.WriteString(o.Message)
	if text, err := json.MarshalIndent(map[string]any{
		"refinedTask": k.Plan.RefinedTask, "extractedContext": k.Plan.Context, "instructions": k.Plan.Instructions,
	}, "", "  "); err == nil {
		fmt.Fprintf(&b, "\n\n[The plan: %s]\n%s", k.Plan.Route(), text)
	}
	b.WriteString("\n\n[What has become of it]")
	if len(k.Done)+len(k.Results) == 0 {
		b.WriteString("\nNobody has begun: you have asked the user first.")
	}
	for _, p := range slices.Concat(k.Done, k.Results) {
		r := p.result(o.Registry)
		b.WriteString("\n- " + strings.ReplaceAll(r.Report(), "\n", "\n  "))
	}
	b.WriteString("\n\n[Staged]\n" + o.host.Staged(o.Env.Draft))
	return b.String()
}
