package agent

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
func (h *orchestrator) makePlan(ctx context.Context) error {
	if err := h.askPlanner(ctx); err != nil || h.asks != nil {
		return err
	}
	return h.settlePlan(ctx)
}

// settlePlan keeps what is precise in the request, and puts those that work in the
// place of those that delegate.
func (h *orchestrator) settlePlan(ctx context.Context) error {
	if kept := h.plan.Keep(h.Text); kept != nil {
		h.trace(traceStep{Kind: trace.PlannerResponse, Summary: "kept what the planner left out: " + strings.Join(kept, ", "), Detail: map[string]any{"kept": kept}})
	}
	choose := func(ctx context.Context, by *specialists.Specialist, among []*specialists.Specialist, task string) (string, error) {
		return h.ask(ctx, specialists.ChoiceRequest(h.host.Prompt("choose"), among, task))
	}
	err := h.Registry.Expand(ctx, h.plan, choose, func(from, to, by string) {
		h.trace(traceStep{Kind: trace.HeapExpand, Specialist: from, Summary: from + " is done by " + to, Detail: map[string]any{"to": to, "by": by}})
	})
	if err != nil {
		return err
	}
	h.nameSteps()
	h.trace(traceStep{Kind: trace.HeapRoute, Summary: h.plan.Route(), Detail: map[string]any{
		"by": h.plan.By, "refinedTask": h.plan.RefinedTask, "extractedContext": h.plan.Context,
		"instructions": h.plan.Instructions, "notes": h.plan.Notes,
	}})
	return nil
}

// askPlanner asks the planner, once more if its answer cannot be read.
func (h *orchestrator) askPlanner(ctx context.Context) error {
	asked := specialists.PlanRequest(h.host.Prompt("planner"), h.Registry, h.Recent, h.Message+h.Rework)
	for attempt := 1; attempt <= 2; attempt++ {
		h.trace(traceStep{Kind: trace.PlannerRequest, Summary: "the planner is asked", Detail: map[string]any{"attempt": attempt, "messages": told(asked)}})
		answer, err := h.ask(ctx, asked)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if limit, ok := errors.AsType[*specialists.LimitError](err); ok {
			return limit
		}
		if err == nil && h.plannerAsks(answer) {
			return nil
		}
		var p *specialists.Plan
		if err == nil {
			p, err = specialists.ParsePlan(answer, h.Registry, h.mostSteps())
		} else {
			attempt = 2 // it was tried again already
		}
		detail := map[string]any{"attempt": attempt, "text": phrase.StartBytes(answer, 16<<10)}
		if err != nil {
			detail["error"] = err.Error()
		}
		h.trace(traceStep{Kind: trace.PlannerResponse, Summary: summaryOf(p, err), Detail: detail})
		if err == nil {
			if p.RefinedTask == "" {
				p.RefinedTask = h.Text
			}
			h.plan = p
			return nil
		}
		asked = specialists.Again(asked, answer, h.host.Prompt("again"), err)
	}
	h.plan = specialists.Fallback(h.Text, h.Registry, h.mostSteps())
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
func (h *orchestrator) mostSteps() int {
	return max(1, cmp.Or(h.Limits.Steps, 15)-len(h.old))
}

// findOldSteps finds the steps of the plan that is reworked which still have
// something in the draft, and the number of its last one.
func (h *orchestrator) findOldSteps() {
	has := map[string]bool{}
	for _, o := range h.Env.Draft.Operations() {
		has[o.Step] = true
	}
	for _, s := range h.Steps {
		if has[s.ID] {
			h.old = append(h.old, s)
		}
		if n, err := strconv.Atoi(strings.TrimPrefix(s.ID, "s")); err == nil && n < math.MaxInt32 {
			h.lastOld = max(h.lastOld, n)
		}
	}
}

// nameSteps makes a step of each assignment, with names that the plan has not had.
func (h *orchestrator) nameSteps() {
	name := func(i int) string { return "s" + strconv.Itoa(h.lastOld+1+i) }
	for i, work := range h.plan.Work {
		s := plan.Step{ID: name(i), Description: phrase.FirstLine(work.Specialist+": "+cmp.Or(h.plan.Instructions[work.Specialist], h.plan.RefinedTask), 200)}
		for _, k := range work.After {
			s.DependsOn = append(s.DependsOn, name(k))
		}
		h.steps = append(h.steps, s)
	}
}
