package orchestrator

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"redline/agent/model"
	"redline/agent/plan"
	"redline/agent/tool"
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
	messages := continueRequest(o.host.Prompt("planner"), o.host.Prompt("replan"), o.Registry, o.soFar(k)+o.Rework)
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

// Parked is what specialists need to continue after a question: the plan, and the
// results so far. Plan is nil if the planner asked before it had one.
type Parked struct {
	Plan      *Plan          `json:"plan,omitempty"`
	Alone     bool           `json:"alone,omitempty"`   // one specialist did the turn alone, and has asked
	Results   []parkedResult `json:"results,omitempty"` // results of the plan's assignments
	Done      []parkedResult `json:"done,omitempty"`    // results from before an earlier question
	Steps     []plan.Step    `json:"steps,omitempty"`   // the steps of all of them
	Conflicts []string       `json:"conflicts,omitempty"`
}

// parkedResult is a [Result] as it is stored.
type parkedResult struct {
	Specialist string `json:"specialist"`
	Step       string `json:"step"`
	State      State  `json:"state"`
	Summary    string `json:"summary,omitempty"`
	Reason     string `json:"reason,omitempty"`
	Staged     bool   `json:"staged,omitempty"`
	Question   string `json:"question,omitempty"`
}

func parkResults(results []Result) []parkedResult {
	var out []parkedResult
	for _, r := range results {
		out = append(out, parkedResult{Specialist: r.Specialist.ID, Step: r.Step, State: r.State, Summary: r.Summary, Reason: r.Reason, Staged: r.Staged, Question: r.Question})
	}
	return out
}

// result returns the stored result. A specialist that no longer exists keeps its id.
func (p parkedResult) result(r *Registry) Result {
	s := r.Find(p.Specialist)
	if s == nil {
		s = &Specialist{ID: p.Specialist}
	}
	return Result{Job: Job{Specialist: s, Step: p.Step}, State: p.State, Summary: p.Summary, Reason: p.Reason, Staged: p.Staged, Question: p.Question}
}

// over reports whether an assignment has ended and will not be repeated.
func (p parkedResult) over() bool {
	return p.State == Done || p.State == Failed
}

// park returns what a later turn needs to continue once the user has answered.
func (o *orchestration) park() *Parked {
	p := &Parked{Steps: slices.Concat(o.old, o.steps), Done: parkResults(o.done)}
	for _, c := range o.conflicts {
		p.Conflicts = append(p.Conflicts, c.text)
	}
	switch {
	case o.asks == nil:
		p.Plan, p.Alone, p.Results = o.plan, o.alone, parkResults(o.results)
	case o.waits != nil:
		p.Plan = o.waits
	case o.Parked != nil: // the plan from before the planner's question
		p.Plan, p.Results, p.Done, p.Steps = o.Parked.Plan, o.Parked.Results, o.Parked.Done, o.Parked.Steps
	}
	return p
}

// question returns the question for the user, nil for none: the planner's, or that of the
// specialists that wait. It combines several questions into one.
func (o *orchestration) question() *tool.Question {
	if o.asks != nil {
		return o.asks
	}
	var q tool.Question
	n := 0
	for _, r := range o.results {
		if r.Question == "" {
			continue
		}
		n++
		text := r.Question
		if len(o.results) > 1 {
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
	q.Options = nil // an option answers only one of them
	return &q
}

// continueRequest returns the request that asks the planner how to continue after a
// question. soFar has the request, the plan, the result of each of its assignments, what is
// staged, and the question with its answer.
func continueRequest(prompt, continued string, r *Registry, soFar string) []model.Message {
	messages := planRequest(prompt, r, "", soFar)
	messages[0].Content += "\n" + strings.TrimSpace(continued) + "\n"
	return messages
}

// ParseContinuation reads the planner's answer to [continueRequest], as [ReadAnswer] returns it:
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

// Question is a question of the planner to the user.
type Question struct {
	Text    string   `json:"question"`
	Options []string `json:"options"` // answers to choose from, nil for none
}

// UnmarshalJSON reads {"question": "…", "options": ["…"]}, or the text alone.
func (q *Question) UnmarshalJSON(raw []byte) error {
	if json.Unmarshal(raw, &q.Text) == nil {
		return nil
	}
	type plain Question
	return json.Unmarshal(raw, (*plain)(q))
}

// ParseQuestions reads what the planner asks the user in an answer, as [ReadAnswer] returns it:
// {"question": "…", "options": ["…"]}, or {"questions": [{"question": "…"}, "…"]}. It returns
// nil if the planner asks nothing. planned is true if the answer also has a plan, which waits
// for the answers.
func ParseQuestions(object string) (questions []Question, planned bool) {
	var one Question
	var a struct {
		Questions     []Question        `json:"questions"`
		PriorityOrder []json.RawMessage `json:"priorityOrder"`
	}
	if json.Unmarshal([]byte(object), &one) != nil || json.Unmarshal([]byte(object), &a) != nil {
		return nil, false
	}
	for _, q := range slices.Insert(a.Questions, 0, one) {
		if q.Text = strings.TrimSpace(q.Text); q.Text != "" {
			questions = append(questions, q)
		}
	}
	return questions, len(a.PriorityOrder) > 0
}
