package agent

import (
	"context"
	"slices"

	"redline/agent/plan"
)

// readPast returns what earlier revisions have applied, or had until its buffer went, and
// the current one does not have; newest first.
func (b *Board) readPast(ctx context.Context, p *plan.Plan, current *plan.Revision) ([]*pastChange, error) {
	known := map[string]bool{}
	for i := range current.Changes {
		for _, hunk := range current.Changes[i].Hunks {
			known[hunk.ID] = true
		}
	}
	var past []*pastChange
	for n := range slices.Backward(p.Revisions) {
		r := &p.Revisions[n]
		if r.Number == current.Number {
			continue
		}
		for i := range r.Changes {
			c := &pastChange{revision: r.Number, change: &r.Changes[i]}
			c.move = c.change.Action == plan.Rename && p.Progress.File(r.Number, c.change.Path).Move == plan.FileApplied
			for k, hunk := range c.change.Hunks {
				if p.Progress.Hunk(hunk.ID).MayBeThere() && !known[hunk.ID] {
					c.hunks = append(c.hunks, k)
				}
				known[hunk.ID] = true
			}
			if len(c.hunks) == 0 && !c.move {
				continue
			}
			if c.change.Action == plan.Delete {
				c.deleted = p.Progress.DeletedForm(c.change)
			}
			var err error
			if c.base, err = b.store.Text(ctx, c.change.Base); err != nil {
				return nil, err
			}
			if c.proposed, err = b.store.Text(ctx, c.change.Proposed); err != nil {
				return nil, err
			}
			past = append(past, c)
		}
	}
	return past, nil
}

// pastAt reports whether an earlier revision has applied something to the file at path.
func (h *heldPlan) pastAt(path string) bool {
	for _, c := range h.past {
		if c.change.Path == path || c.change.NewPath == path {
			return true
		}
	}
	return false
}
