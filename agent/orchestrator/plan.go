package orchestrator

import (
	"cmp"
	"context"
	"math"
	"strconv"
	"strings"

	"redline/agent/plan"
	"redline/agent/trace"
	"redline/internal/phrase"
)

// makePlan asks the planner who works on the request. If the planner fails, keyword
// rules choose. The error is ctx's, or a limit of the turn.
func (o *orchestration) makePlan(ctx context.Context) error {
	messages := PlanRequest(o.host.Prompt("planner"), o.Registry, o.Recent, o.Message+o.Rework)
	p, err := o.consult(ctx, "the planner is asked", messages, func(object string) (*Plan, error) {
		return ParsePlan(object, o.Registry, o.mostSteps())
	})
	if err != nil || o.asks != nil {
		return err
	}
	if p == nil {
		o.host.Record(trace.Step{Kind: trace.Fallback, Name: trace.ByKeywords, Summary: "keywords chose the specialists"})
		p = Fallback(o.Text, o.Recent, o.Registry, o.mostSteps())
	}
	p.RefinedTask = cmp.Or(p.RefinedTask, o.Text)
	o.plan, o.alone = p, p.Alone
	return o.completePlan(ctx, o.Text+"\n"+o.Answer)
}

// completePlan adds the precise words of the user that the planner left out, replaces each
// delegator with the specialist chosen for it, and names the steps.
func (o *orchestration) completePlan(ctx context.Context, words string) error {
	if !o.alone { // otherwise the specialist reads the words themselves
		if kept := o.plan.AddPrecise(words); kept != nil {
			o.trace(traceStep{Kind: trace.PlannerResponse, Summary: "kept what the planner left out: " + strings.Join(kept, ", "), Detail: map[string]any{"kept": kept}})
		}
	}
	choose := func(ctx context.Context, by *Specialist, among []*Specialist, task string) (string, error) {
		return o.ask(ctx, o.Registry.ChoiceRequest(o.host.Prompt("choose"), among, task))
	}
	err := o.Registry.Expand(ctx, o.plan, choose, func(from, to, by string) {
		o.trace(traceStep{Kind: trace.SpecialistExpand, Specialist: from, Summary: from + " is done by " + to, Detail: map[string]any{"to": to, "by": by}})
	})
	if err != nil {
		return err
	}
	o.nameSteps()
	o.trace(traceStep{Kind: trace.SpecialistRoute, Summary: o.plan.Route(), Detail: map[string]any{
		"by": o.plan.By, "refinedTask": o.plan.RefinedTask, "extractedContext": o.plan.Context,
		"instructions": o.plan.Instructions, "notes": o.plan.Notes,
	}})
	return nil
}

// mostSteps returns how many more steps the plan may have.
func (o *orchestration) mostSteps() int {
	return max(1, cmp.Or(o.Limits.Steps, 15)-len(o.old))
}

// findOldSteps sets old to the steps of the revised plan that still have operations in the
// draft, and lastOld to the number of its last step.
func (o *orchestration) findOldSteps() {
	has := map[string]bool{}
	for _, op := range o.Env.Draft.Operations() {
		has[op.Step] = true
	}
	for _, s := range o.Steps {
		if has[s.ID] {
			o.old = append(o.old, s)
		}
		o.lastOld = max(o.lastOld, numberOf(s))
	}
}

// numberOf returns the number in the id of a step, 0 if it has no usable number.
func numberOf(s plan.Step) int {
	n, err := strconv.Atoi(strings.TrimPrefix(s.ID, "s"))
	if err != nil || n >= math.MaxInt32 {
		return 0
	}
	return n
}

// nameSteps makes a step of each assignment, with an id that the plan has not used.
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
