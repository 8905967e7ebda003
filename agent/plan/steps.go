package plan

import "slices"

// firstStep is the id of the step that a revision without steps gets.
const firstStep = "s1"

// FirstStep returns the id of the step for operations that name none: the first without a
// condition. There is one, unless the steps wait in a cycle.
func FirstStep(steps []Step) string {
	for _, s := range steps {
		if s.When == nil {
			return s.ID
		}
	}
	return steps[0].ID
}

// placeInSteps assigns each operation of r to a step: one that names no step, or a
// missing one, goes to the first. A revision without steps gets one with the plan's goal.
func (p *Plan) placeInSteps(r *Revision) {
	lost := func(o Operation) bool {
		return !slices.ContainsFunc(r.Steps, func(s Step) bool { return s.ID == o.Step })
	}
	if !slices.ContainsFunc(r.Operations, lost) {
		return
	}
	if len(r.Steps) == 0 {
		r.Steps = []Step{{ID: firstStep, Description: p.Goal}}
	}
	r.Operations = slices.Clone(r.Operations) // another revision may have the same
	for i := range r.Operations {
		if lost(r.Operations[i]) {
			r.Operations[i].Step = FirstStep(r.Steps)
		}
	}
}
