package draft

import (
	"fmt"
	"slices"
	"strings"

	"redline/agent/plan"
	"redline/internal/phrase"
)

// Submission is a model's plan without its operations.
type Submission struct {
	Goal  string      `json:"goal"` // one line; "" if there is none yet
	Steps []plan.Step `json:"steps"`

	Report bool     `json:"report,omitempty"` // see [plan.Revision]
	Calls  []string `json:"calls,omitempty"`  // ids of the steps that AddStep has added
}

func (s Submission) clone() Submission {
	s.Steps, s.Calls = slices.Clone(s.Steps), slices.Clone(s.Calls)
	return s
}

// Submitted returns the steps that operations can belong to. There are none before a plan was
// submitted, unless one is reworked. now reports whether this turn has submitted them.
func (draft *Draft) Submitted() (s Submission, now bool) {
	d, done := draft.open()
	defer done()
	return d.submission.clone(), d.submittedNow
}

// Submit makes s, with checked steps, the plan of the draft. Steps that have operations must
// stay. Operations staged before there were steps move to the first one; note says so. The
// error is a [*Refusal] if the plan is not possible; then nothing changes.
func (draft *Draft) Submit(s Submission) (note string, err error) {
	d, done := draft.open()
	defer done()
	operations := slices.Clone(d.operations)
	moved := 0
	for i := range operations {
		o := &operations[i]
		if hasStep(s.Steps, o.Step) {
			continue
		}
		if hasStep(d.submission.Steps, o.Step) && !slices.Contains(d.submission.Calls, o.Step) {
			return "", refuse("", "step %s has operations already (%s): keep it in the plan", o.Step, o.Named())
		}
		o.Step = plan.FirstStep(s.Steps)
		moved++
	}
	if err := plan.CheckConditions(&plan.Revision{Steps: s.Steps, Operations: operations}); err != nil {
		return "", refuse("", "%s", err)
	}
	d.submission, d.submittedNow, d.operations = s, true, operations
	d.countSteps()
	if moved > 0 {
		note = fmt.Sprintf("What was staged before belongs to step %s.", plan.FirstStep(s.Steps))
	}
	return note, nil
}

// AddStep adds a step for a call that is a step by itself, and returns its id. ok is false if
// the model has submitted its own steps in this turn, or the plan already has the most steps.
func (draft *Draft) AddStep(description string, most int) (id string, ok bool) {
	d, done := draft.open()
	defer done()
	s := d.submission.clone()
	if d.submittedNow && len(s.Calls) == 0 || len(s.Steps) >= most {
		return "", false
	}
	for n := len(s.Steps) + 1; id == "" || hasStep(s.Steps, id); n++ {
		id = fmt.Sprintf("s%d", n)
	}
	s.Steps, s.Calls = append(s.Steps, plan.Step{ID: id, Description: description}), append(s.Calls, id)
	d.submission, d.submittedNow = s, true
	return id, true
}

// DropStep removes a step that AddStep has added, unless it has operations.
func (draft *Draft) DropStep(id string) (dropped bool) {
	d, done := draft.open()
	defer done()
	if slices.ContainsFunc(d.operations, func(o plan.Operation) bool { return o.Step == id }) {
		return false
	}
	s := d.submission.clone()
	s.Steps = slices.DeleteFunc(s.Steps, func(step plan.Step) bool { return step.ID == id })
	s.Calls = slices.DeleteFunc(s.Calls, func(call string) bool { return call == id })
	d.submission, d.submittedNow = s, len(s.Calls) > 0
	return true
}

func hasStep(steps []plan.Step, id string) bool {
	return slices.ContainsFunc(steps, func(s plan.Step) bool { return s.ID == id })
}

// countSteps recounts the steps of the operations.
func (d *content) countSteps() {
	d.steps = map[string]bool{}
	for i := range d.operations {
		d.steps[d.operations[i].Step] = true
	}
}

// MayStage refuses an operation of an unknown step, or one that cannot be in its step when the
// condition of the step is decided. command is true for an operation that runs something and
// changes no file itself.
func (draft *Draft) MayStage(step string, command bool) error {
	d, done := draft.open()
	defer done()
	steps := d.submission.Steps
	if len(steps) == 0 {
		return nil
	}
	i := slices.IndexFunc(steps, func(s plan.Step) bool { return s.ID == step })
	if i < 0 {
		return refuse("", "there is no step %q; the steps are\n%s\nsubmit_plan can change them", phrase.StartBytes(step, maxWords), listed(steps))
	}
	if c := steps[i].When; c != nil {
		switch {
		case !command:
			return refuse("", "step %s is carried out %s, and edits are made before any command has run: a step with a condition takes commands only. Stage the edit in a step without one, or leave it out: once the outcome is known, the user can have the plan reworked", step, c)
		case !d.steps[c.Step]:
			return refuse("", "step %s is carried out %s: stage what step %s does first", step, c, c.Step)
		}
	}
	if !command {
		return nil
	}
	for k := range d.operations {
		o := &d.operations[k]
		if !o.IsCommand() {
			continue
		}
		if w := slices.IndexFunc(steps, func(s plan.Step) bool { return s.ID == o.Step && s.When != nil && s.When.Step == step }); w >= 0 {
			return refuse("", "step %s waits for the result of step %s, and has %s staged already: commands run in their order, so this one belongs to a step of its own", o.Step, step, o.Named())
		}
	}
	return nil
}

// listed lists the steps for the model, one per line.
func listed(steps []plan.Step) string {
	rows := make([]string, len(steps))
	for i, s := range steps {
		rows[i] = s.ID + ": " + phrase.StartBytes(phrase.OneLine(s.Description), maxWords)
	}
	return strings.Join(rows, "\n")
}

// maxWords is how many bytes of a model's words a refusal quotes.
const maxWords = 120
