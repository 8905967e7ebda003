package decide

import (
	"cmp"
	"context"

	"redline/agent/decision"
	"redline/agent/refusal"
	"redline/edits"
)

// Reversal is the undo of what is applied to one file, for a draft that proposes it.
type Reversal struct {
	Change edits.Change // of the file as it is now; an update without edits: the user has taken it back already
	Hunks  []string     // ids of the hunks that it takes back
}

// Reversals returns what an undo of the named part of a plan would change, and changes nothing. The
// plan may be in any state, also drafted by the turn that asks. conflicts lists the ids of hunks
// whose new lines were changed since, and the paths of moves that have no way back: no reversal
// includes them. It refuses a part with nothing applied.
func (ds *Decisions) Reversals(ctx context.Context, d decision.Request) (back []Reversal, conflicts []string, err error) {
	h, err := ds.find(ctx, d.Plan)
	if err != nil {
		return nil, nil, err
	}
	tx := ds.board.Lock(h)
	defer tx.Unlock()
	if tx.Executing() {
		return nil, nil, refusal.New(refusal.Busy, "Plan %d is being carried out: wait until that is done.", d.Plan)
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
		c.Path = cmp.Or(c.Path, w.part.File.Path) // for a file that is not there, as before
		back = append(back, Reversal{c, w.part.IDs()})
	}
	return back, conflicts, nil
}
