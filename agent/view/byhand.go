package view

import (
	"redline/agent/plan"
)

// WithoutMade splits parts into what is still to be applied and what the user has made by hand.
func WithoutMade(parts []Part) (open, made []Part) {
	for _, p := range parts {
		f := p.File
		left, done := Part{File: f, Move: p.Move && !f.Moved}, Part{File: f, Move: p.Move && f.Moved}
		for _, i := range p.Hunks {
			if status, _ := f.StatusOf(i); status == plan.HunkApplied {
				done.Hunks = append(done.Hunks, i)
			} else {
				left.Hunks = append(left.Hunks, i)
			}
		}
		open, made = add(open, left), add(made, done)
	}
	return open, made
}

// madeByHand returns the pending parts of a plan that the user has made by hand.
func madeByHand(v *Plan) (made []Part) {
	for _, f := range v.Files {
		part := Part{File: f, Move: f.Moved}
		for i := range f.Len() {
			if status, _ := f.StatusOf(i); status == plan.HunkApplied && f.Marks[i].Status == plan.HunkPending {
				part.Hunks = append(part.Hunks, i)
			}
		}
		made = add(made, part)
	}
	return made
}

// NoteMade marks as applied in next what the user has made of the plan by hand, for which the
// editor is not asked.
func NoteMade(v *Plan, disk Disk, next *plan.Plan) {
	for _, p := range madeByHand(v) {
		p.Mark(next, plan.HunkApplied, "")
		next.Progress.MarkUnsaved(next.Current, p.File.Change.Path, OnlyUnsaved(disk, next, p.File))
	}
}

// PlanAsShown returns the plan as users see it, with what they have made by hand marked as applied.
func PlanAsShown(v *Plan) *plan.Plan {
	made := madeByHand(v)
	if len(made) == 0 {
		return v.Plan
	}
	shown := v.Plan.Clone()
	for _, p := range made {
		p.Mark(shown, plan.HunkApplied, "")
	}
	return shown
}
