package orchestrator

import (
	"slices"
	"strings"

	"redline/agent/plan"
	"redline/agent/tool"
)

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
