package orchestrator

import (
	"slices"
	"strings"

	"redline/agent/plan"
	"redline/agent/specialists"
	"redline/agent/tool"
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

// park returns what a later turn needs to continue once the user has answered.
func (o *orchestration) park() *Parked {
	p := &Parked{Steps: slices.Concat(o.old, o.steps), Done: parkResults(o.done)}
	for _, c := range o.conflicts {
		p.Conflicts = append(p.Conflicts, c.text)
	}
	if o.asks == nil {
		p.Plan, p.Results = o.plan, parkResults(o.results)
	}
	return p
}

// question is what the user is to be asked: by the planner, or by the specialists
// that wait. Questions of several are put as one.
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
	q.Options = nil // an option answers one of them
	return &q
}
