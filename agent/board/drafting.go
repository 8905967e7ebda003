package board

import (
	"context"

	"redline/agent/state"
)

// DraftState returns, in the form that clients see, a plan that a turn is drafting. It has no
// number, no revision, and no hash, which an approval would have to name. The board does not
// hold it.
func (b *Board) DraftState(ctx context.Context, n NewRevision, turn string) (state.Plan, error) {
	n.Plan.Progress.Folders = namedFolders(b.ws.Folders())
	h, err := read(ctx, b.store, n.Plan, n.Texts)
	if err != nil {
		return state.Plan{}, err
	}
	t, l := b.lockRead(h)
	defer t.unlock()
	for _, f := range t.of(h).files {
		f.place(l, n.Plan)
	}
	s := t.planState(t.of(h))
	s.Turn, s.Revision, s.Hash, s.Revisions, s.Untried = turn, 0, "", []state.Revision{}, ""
	return s, nil
}
