package board

import (
	"slices"

	"redline/agent/plan"
	"redline/agent/view"
)

// earlier returns the hunks and moves that earlier revisions have applied and that the current
// one does not have, also those whose unsaved buffer was discarded; newest first.
func earlier(p *plan.Plan, current *plan.Revision, text func(plan.Blob) string) (past []*view.Earlier) {
	known := map[string]bool{}
	for i := range current.Changes {
		for _, hunk := range current.Changes[i].Hunks {
			known[hunk.ID] = true
		}
	}
	for n := range slices.Backward(p.Revisions) {
		r := &p.Revisions[n]
		if r.Number == current.Number {
			continue
		}
		for i := range r.Changes {
			c := &view.Earlier{Revision: r.Number, Change: &r.Changes[i]}
			c.Move = c.Change.Action == plan.Rename && p.Progress.File(r.Number, c.Change.Path).Move == plan.FileApplied
			for k, hunk := range c.Change.Hunks {
				if p.Progress.Hunk(hunk.ID).MayBeThere() && !known[hunk.ID] {
					c.Hunks = append(c.Hunks, k)
				}
				known[hunk.ID] = true
			}
			if len(c.Hunks) == 0 && !c.Move {
				continue
			}
			if c.Change.Action == plan.Delete {
				c.Deleted = p.Progress.DeletedForm(c.Change)
			}
			c.Base, c.Proposed = text(c.Change.Base), text(c.Change.Proposed)
			past = append(past, c)
		}
	}
	return past
}
