package orchestrator

import (
	"encoding/json"
	"slices"
	"strings"

	"redline/agent/model"
)

// ContinueRequest returns the request that asks the planner how to continue after a
// question. soFar has the request, the plan, the result of each of its assignments, what is
// staged, and the question with its answer.
func ContinueRequest(prompt, continued string, r *Registry, soFar string) []model.Message {
	messages := PlanRequest(prompt, r, "", soFar)
	messages[0].Content += "\n" + strings.TrimSpace(continued) + "\n"
	return messages
}

// ParseContinuation reads the planner's answer to [ContinueRequest], as [ReadAnswer] returns it:
// a plan of what is left to do, which may be empty, and the names of staged operations to remove.
func ParseContinuation(object string, r *Registry, most int) (p *Plan, remove []string, err error) {
	var a struct {
		PriorityOrder []json.RawMessage `json:"priorityOrder"`
		RefinedTask   string            `json:"refinedTask"`
		Remove        []string          `json:"remove"`
	}
	if err := json.Unmarshal([]byte(object), &a); err == nil && a.PriorityOrder != nil && len(a.PriorityOrder) == 0 {
		return &Plan{By: ByModel, RefinedTask: bounded(strings.TrimSpace(a.RefinedTask), maxTask), Instructions: map[string]string{}}, a.Remove, nil
	}
	p, err = ParsePlan(object, r, most)
	return p, a.Remove, err
}

// Rest returns the plan without the finished assignments, in the same order. Use it if the
// planner fails to say what is left to do.
func (p *Plan) Rest(done func(i int) bool) *Plan {
	rest := &Plan{RefinedTask: p.RefinedTask, Context: p.Context, Instructions: p.Instructions, By: p.By, Notes: slices.Clone(p.Notes)}
	at := map[int]int{}
	for i, w := range p.Work {
		if done(i) {
			continue
		}
		at[i] = len(rest.Work)
		w.After = slices.DeleteFunc(slices.Clone(w.After), done)
		rest.Work = append(rest.Work, w)
	}
	for i := range rest.Work {
		for k, before := range rest.Work[i].After {
			rest.Work[i].After[k] = at[before]
		}
	}
	rest.arrange()
	return rest
}

// InheritContext adds the context of the earlier plan. A name that p has too keeps its value in
// p.
func (p *Plan) InheritContext(before *Plan) {
	for name, value := range before.Context {
		if _, known := p.Context[name]; known {
			continue
		}
		if p.Context == nil {
			p.Context = map[string]json.RawMessage{}
		}
		p.Context[name] = value
	}
}
