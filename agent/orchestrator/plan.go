package orchestrator

import (
	"cmp"
	"context"
	"errors"
	"math"
	"strconv"
	"strings"

	"redline/agent/model"
	"redline/agent/plan"
	"redline/agent/specialists"
	"redline/agent/trace"
	"redline/internal/phrase"
)

// makePlan finds out who works on the request, and puts those that work in the
// place of those that delegate. A planner that cannot be understood, or reached,
// is gone without: then words decide. The error is ctx's, or a limit of the turn.
func (o *orchestration) makePlan(ctx context.Context) error {
	if err := o.askPlanner(ctx); err != nil || o.asks != nil {
		return err
	}
	return o.settlePlan(ctx, o.Text+"\n"+o.Answer)
}

// settlePlan keeps in the plan what is precise in the user's words, replaces each
// delegator by the specialist it chooses, and names the steps.
func (o *orchestration) settlePlan(ctx context.Context, words string) error {
	if kept := o.plan.Keep(words); kept != nil {
		o.trace(traceStep{Kind: trace.PlannerResponse, Summary: "kept what the planner left out: " + strings.Join(kept, ", "), Detail: map[string]any{"kept": kept}})
	}
	choose := func(ctx context.Context, by *specialists.Specialist, among []*specialists.Specialist, task string) (string, error) {
		return o.ask(ctx, specialists.ChoiceRequest(o.host.Prompt("choose"), among, task))
	}
	err := o.Registry.Expand(ctx, o.plan, choose, func(from, to, by string) {
		o.trace(traceStep{Kind: trace.HeapExpand, Specialist: from, Summary: from + " is done by " + to, Detail: map[string]any{"to": to, "by": by}})
	})
	if err != nil {
		return err
	}
	o.nameSteps()
	o.trace(traceStep{Kind: trace.HeapRoute, Summary: o.plan.Route(), Detail: map[string]any{
		"by": o.plan.By, "refinedTask": o.plan.RefinedTask, "extractedContext": o.plan.Context,
		"instructions": o.plan.Instructions, "notes": o.plan.Notes,
	}})
	return nil
}

// askPlanner asks the planner, once more if its answer cannot be read.
func (o *orchestration) askPlanner(ctx context.Context) error {
	asked := specialists.PlanRequest(o.host.Prompt("planner"), o.Registry, o.Recent, o.Message+o.Rework)
	for attempt := 1; attempt <= 2; attempt++ {
		o.trace(traceStep{Kind: trace.PlannerRequest, Summary: "the planner is asked", Detail: map[string]any{"attempt": attempt, "messages": told(asked)}})
		answer, err := o.ask(ctx, asked)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if limit, ok := errors.AsType[*specialists.LimitError](err); ok {
			return limit
		}
		if err == nil && o.plannerAsks(answer) {
			return nil
		}
		var p *specialists.Plan
		if err == nil {
			p, err = specialists.ParsePlan(answer, o.Registry, o.mostSteps())
		} else {
			attempt = 2 // it was tried again already
		}
		detail := map[string]any{"attempt": attempt, "text": phrase.StartBytes(answer, 16<<10)}
		if err != nil {
			detail["error"] = err.Error()
		}
		o.trace(traceStep{Kind: trace.PlannerResponse, Summary: summaryOf(p, err), Detail: detail})
		if err == nil {
			if p.RefinedTask == "" {
				p.RefinedTask = o.Text
			}
			o.plan = p
			return nil
		}
		asked = specialists.Again(asked, answer, o.host.Prompt("again"), err)
	}
	o.plan = specialists.Fallback(o.Text, o.Registry, o.mostSteps())
	return nil
}

func summaryOf(p *specialists.Plan, err error) string {
	if err != nil {
		return "the planner's answer cannot be used: " + phrase.FirstLine(err.Error(), 200)
	}
	return "the planner has answered: " + p.Route()
}

// told is what a model was sent, for the trace.
func told(messages []model.Message) []map[string]string {
	var out []map[string]string
	for _, m := range messages {
		out = append(out, map[string]string{"role": string(m.Role), "content": phrase.StartBytes(m.Content, 16<<10)})
	}
	return out
}

// mostSteps is how many steps the plan can still get.
func (o *orchestration) mostSteps() int {
	return max(1, cmp.Or(o.Limits.Steps, 15)-len(o.old))
}

// findOldSteps finds the steps of the plan that is reworked which still have
// something in the draft, and the number of its last one.
func (o *orchestration) findOldSteps() {
	has := map[string]bool{}
	for _, op := range o.Env.Draft.Operations() {
		has[op.Step] = true
	}
	for _, s := range o.Steps {
		if has[s.ID] {
			o.old = append(o.old, s)
		}
		if n, err := strconv.Atoi(strings.TrimPrefix(s.ID, "s")); err == nil && n < math.MaxInt32 {
			o.lastOld = max(o.lastOld, n)
		}
	}
}

// nameSteps makes a step of each assignment, with names that the plan has not had.
func (o *orchestration) nameSteps() {
	name := func(i int) string { return "s" + strconv.Itoa(o.lastOld+1+i) }
	for i, work := range o.plan.Work {
		s := plan.Step{ID: name(i), Description: phrase.FirstLine(work.Specialist+": "+cmp.Or(o.plan.Instructions[work.Specialist], o.plan.RefinedTask), 200)}
		for _, k := range work.After {
			s.DependsOn = append(s.DependsOn, name(k))
		}
		o.steps = append(o.steps, s)
	}
}
