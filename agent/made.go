package agent

import (
	"redline/agent/plan"
)

// byHand is the reason of a hunk that counts as applied without a decision: the user has
// typed it, or has redone in the editor what was undone.
const byHand = "the text has this change already"

// lookForMade finds the hunks that the user has made, or undone, by hand: their place has
// the text that an approval, or an undo, would give it. From then on they are followed in
// that form.
func (f *heldFile) lookForMade() {
	if f.change.Action == plan.Create || f.change.Action == plan.Delete {
		return // whole files are compared as they are, see wholeMade
	}
	placed, turned := f.placed.Switch(func(i int) string {
		hunk := f.change.Hunks[i]
		if f.has[i] {
			return f.base[hunk.Old.Start:hunk.Old.End]
		}
		return f.proposed[hunk.New.Start:hunk.New.End]
	})
	if len(turned) == 0 {
		return
	}
	has := append([]bool(nil), f.has...) // views may have the old one
	for _, i := range turned {
		has[i] = !has[i]
	}
	f.placed, f.has = placed, has
}

// wholeMade reports whether the user has made a change of the whole file by hand:
// created the same file, or deleted it.
func (f *heldFile) wholeMade() bool {
	switch f.change.Action {
	case plan.Create:
		return f.holds(f.proposed)
	case plan.Delete:
		return !f.exists
	}
	return false
}

// holds reports whether the file exists with exactly that text.
func (f *heldFile) holds(text string) bool {
	return f.exists && f.unreadable == "" && f.live.Text() == text
}

// lookForMove finds out whether the user has moved by hand a file that p is to move: the
// old path is empty, and the new one has a text that this file had.
func (f *heldFile) lookForMove(l *ahead, p *plan.Plan) {
	was := f.moved
	f.moved = false
	if f.change.Action != plan.Rename || p.Progress.File(p.Current, f.change.Path).Move != plan.FilePending {
		return
	}
	if old, err := l.File(f.change.Path); err != nil || old.Exists {
		return
	}
	now, err := l.File(f.change.NewPath)
	if err != nil || !now.Exists {
		return
	}
	f.moved = was || now.Text == f.base || now.Text == f.proposed || f.live != nil && now.Text == f.live.Text()
}

// withoutMade splits a scope into what is still to be applied and what the user has made
// by hand.
func withoutMade(s scope) (rest, made scope) {
	rest, made = s, scope{}
	rest.parts = nil
	for _, p := range s.parts {
		v := p.file
		open, done := part{file: p.file, move: p.move && !p.file.moved}, part{file: p.file, move: p.move && p.file.moved}
		for _, i := range p.hunks {
			if status, _ := v.now(i); status == plan.HunkApplied {
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
func (v *PlanView) noteMade(disk disk, next *plan.Plan) {
	all, err := v.scope(Decide{Plan: v.Plan.Number}, undecided)
	if err != nil {
		return
	}
	_, made := withoutMade(all)
	for _, p := range made.parts {
		markApplied(next, v.Revision, p)
		next.Progress.MarkUnsaved(v.Revision.Number, p.file.Change.Path, unsaved(disk, next, p.file))
	}
}

// shown returns the plan as users see it: what they have made by hand is applied.
func (v *PlanView) shown() *plan.Plan {
	p := v.Plan
	for _, f := range v.Files {
		part := part{file: f, move: f.moved}
		for i := range f.Len() {
			if status, _ := f.now(i); status == plan.HunkApplied && f.marks[i].Status == plan.HunkPending {
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
