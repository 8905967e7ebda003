package board

import (
	"redline/agent/plan"
	"redline/agent/readahead"
)

// lookForMade finds the hunks that the user has applied, or reverted, by hand: their place has
// the text that an approval, or an undo, would give it. From then on they are followed in that
// form.
func (f *heldFile) lookForMade() {
	if f.Change.Action == plan.Create || f.Change.Action == plan.Delete {
		return // whole files are compared as they are, see wholeMade
	}
	placed, turned := f.Placement.Switch(func(i int) string {
		hunk := f.Change.Hunks[i]
		if f.Has[i] {
			return f.Base[hunk.Old.Start:hunk.Old.End]
		}
		return f.Proposed[hunk.New.Start:hunk.New.End]
	})
	if len(turned) == 0 {
		return
	}
	has := append([]bool(nil), f.Has...) // views may have the old one
	for _, i := range turned {
		has[i] = !has[i]
	}
	f.Placement, f.Has = placed, has
}

// wholeMade reports whether the user has created or deleted the file by hand, as the plan would.
func (f *heldFile) wholeMade() bool {
	switch f.Change.Action {
	case plan.Create:
		return f.Holds(f.Proposed)
	case plan.Delete:
		return !f.Exists
	}
	return false
}

// lookForMove sets moved: whether the user has moved a file by hand that p is to move. Then the
// old path is empty, and the new one has a text that this file had.
func (f *heldFile) lookForMove(l *readahead.Files, p *plan.Plan) {
	was := f.Moved
	f.Moved = false
	if f.Change.Action != plan.Rename || p.Progress.File(p.Current, f.Change.Path).Move != plan.FilePending {
		return
	}
	if old, err := l.File(f.Change.Path); err != nil || old.Exists {
		return
	}
	now, err := l.File(f.Change.NewPath)
	if err != nil || !now.Exists {
		return
	}
	f.Moved = was || now.Text == f.Base || now.Text == f.Proposed || f.Live != nil && now.Text == f.Live.Text()
}
