package decide

import (
	"cmp"
	"context"

	"redline/agent/plan"
	"redline/agent/view"
	"redline/edits"
)

// Reversal is the undo of the applied changes to one file, for a draft that proposes it.
type Reversal struct {
	Change edits.Change // the change to the current file; an update without edits if the user has reverted it already
	Hunks  []string     // ids of the hunks that it undoes
}

// Reversals returns what an undo of the named part of a plan would change. It changes nothing.
// The plan may be in any state, even drafting in the turn that asks. conflicts lists the ids of
// hunks whose new lines were changed since, and the paths of moves that cannot be undone; no
// reversal includes them. It refuses a part with nothing applied.
func (ds *Decisions) Reversals(ctx context.Context, d view.Request) (back []Reversal, conflicts []string, err error) {
	h, err := ds.find(ctx, d.Plan)
	if err != nil {
		return nil, nil, err
	}
	tx := ds.board.Lock(h)
	defer tx.Unlock()
	if tx.Executing() {
		return nil, nil, plan.Refuse(plan.Busy, "Plan %d is being carried out: wait until that is done.", d.Plan)
	}
	v, l := tx.See()
	s, past, err := appliedIn(v, d)
	if err != nil {
		return nil, nil, err
	}
	rewinds, conflicts := ds.rewinds(l, v, s, past)
	for _, w := range rewinds {
		if w.part.Empty() {
			continue
		}
		c := w.change()
		c.Path = cmp.Or(c.Path, w.part.File.Path) // for a missing file, as before
		back = append(back, Reversal{c, w.part.IDs()})
	}
	return back, conflicts, nil
}
