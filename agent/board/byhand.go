package board

import (
	"redline/agent/plan"
	"redline/agent/readahead"
)

// lookForMade finds the hunks that the user has applied, or reverted, by hand: their place has
// the text that an approval, or an undo, would give it. From then on they are followed in that
// form.
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

// wholeMade reports whether the user has created or deleted the file by hand, as the plan would.
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

// lookForMove sets moved: whether the user has moved a file by hand that p is to move. Then the
// old path is empty, and the new one has a text that this file had.
func (f *heldFile) lookForMove(l *readahead.Files, p *plan.Plan) {
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
