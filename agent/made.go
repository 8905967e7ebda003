package agent

import (
	"redline/agent/plan"
)

// byHand is why a part counts as applied that no decision has applied: the user has
// typed it, or the editor has brought it back when an undo was undone.
const byHand = "the text has this change already"

// lookForMade finds out which hunks the user has made, or taken back, by hand:
// their place has now what it would have after the approval, or the undo. They
// are followed in that form from then on.
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

// wholeMade tells whether the user has made a change of the whole file by hand:
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

// holds tells whether the file is there with just that text.
func (f *heldFile) holds(text string) bool {
	return f.exists && f.unreadable == "" && f.live.Text() == text
}

// lookForMove finds out whether the user has moved a file by hand that p, a
// value of its plan, is to move: there is nothing at the old path any more, and
// at the new one a text that this file had.
func (a *Agent) lookForMove(l *ahead, p *plan.Plan, f *heldFile) {
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

// withoutMade splits a scope into what is still to be made and what the user
// has made by hand. The caller holds a.mu.
func (a *Agent) withoutMade(h *heldPlan, s scope) (rest, made scope) {
	rest, made = s, scope{}
	rest.parts = nil
	for _, p := range s.parts {
		v := a.fileView(h, p.file)
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

// noteMade records in next what the user has made by hand of any part of the
// plan: it is applied, without an editor being asked. The caller holds a.mu.
func (a *Agent) noteMade(l *ahead, h *heldPlan, next *plan.Plan) {
	all, err := h.scopeOf(Decide{Plan: h.plan.Number}, undecided)
	if err != nil {
		return
	}
	_, made := a.withoutMade(h, all)
	for _, p := range made.parts {
		markApplied(next, h.revision, p)
		next.Progress.MarkUnsaved(h.revision.Number, p.file.change.Path, a.unsaved(l, next, p.file))
	}
}

// shown is the plan as it is shown: what the user has made by hand counts.
func (v *PlanView) shown() *plan.Plan {
	p := v.Plan
	for _, f := range v.Files {
		part := part{file: &heldFile{change: f.Change}, move: f.moved}
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
