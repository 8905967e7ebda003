package agent

import (
	"redline/agent/plan"
	"redline/agent/view"
)

// withoutMade splits a scope into what is still to be applied and what the user has made
// by hand.
func withoutMade(s scope) (rest, made scope) {
	rest, made = s, scope{}
	rest.parts = nil
	for _, p := range s.parts {
		v := p.file
		open, done := part{file: p.file, move: p.move && !p.file.Moved}, part{file: p.file, move: p.move && p.file.Moved}
		for _, i := range p.hunks {
			if status, _ := v.StatusOf(i); status == plan.HunkApplied {
				done.hunks = append(done.hunks, i)
			} else {
				open.hunks = append(open.hunks, i)
			}
		}
		if !open.empty() {
			rest.parts = append(rest.parts, open)
		}
		if !done.empty() {
			made.parts = append(made.parts, done)
		}
	}
	return rest, made
}

// noteMade marks as applied in next what the user has made by hand of the plan, without
// asking the editor for it.
func noteMade(v *view.Plan, disk disk, next *plan.Plan) {
	all, err := scopeOf(v, Decide{Plan: v.Plan.Number}, undecided)
	if err != nil {
		return
	}
	_, made := withoutMade(all)
	for _, p := range made.parts {
		markApplied(next, v.Revision, p)
		next.Progress.MarkUnsaved(v.Revision.Number, p.file.Change.Path, unsaved(disk, next, p.file))
	}
}

// shownAs returns the plan as users see it: what they have made by hand is applied.
func shownAs(v *view.Plan) *plan.Plan {
	p := v.Plan
	for _, f := range v.Files {
		part := part{file: f, move: f.Moved}
		for i := range f.Len() {
			if status, _ := f.StatusOf(i); status == plan.HunkApplied && f.Marks[i].Status == plan.HunkPending {
				part.hunks = append(part.hunks, i)
			}
		}
		if part.empty() {
			continue
		}
		if p == v.Plan {
			p = p.Clone()
		}
		markApplied(p, v.Revision, part)
	}
	return p
}
