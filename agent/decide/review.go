package decide

import (
	"context"

	"go.uber.org/zap"

	"redline/agent/board"
	"redline/agent/plan"
	"redline/agent/state"
	"redline/agent/view"
	"redline/edits"
)

// Review puts what the decision names into the editor's own review, where the user accepts
// changes one by one. Review checks and records this like an approval. What the user accepts is
// applied; the rest stays pending. It returns like [Decisions.Approve].
func (ds *Decisions) Review(ctx context.Context, d view.Request) (state.Result, error) {
	h, d, err := ds.Settled(ctx, d)
	if err != nil {
		return state.Result{}, err
	}
	return ds.decide(ctx, h, d, ds.checkReview)
}

// checkReview checks a review and plans its changes.
func (ds *Decisions) checkReview(tx *board.Tx, d view.Request) (*checked, error) {
	x, err := ds.checkApproval(tx, d)
	if err == nil && len(x.Parts) > 0 { // otherwise the user has made all of it by hand
		x.Verdict, x.record.Verdict = plan.VerdictReview, plan.VerdictReview
	}
	return x, err
}

// Pending returns the undecided parts of a plan as changes to the current texts, for an editor
// that shows them itself, and the ids of the stale hunks, which it leaves out. It decides
// nothing.
func (ds *Decisions) Pending(ctx context.Context, n int) (changes []edits.Change, stale []string, err error) {
	h, err := ds.board.Find(ctx, n)
	if err != nil {
		return nil, nil, err
	}
	tx := ds.board.Lock(h)
	defer tx.Unlock()
	v, _, err := tx.Look(plan.Execute, view.Request{})
	if err != nil {
		return nil, nil, err
	}
	s, err := view.ScopeOf(v, view.Request{}, plan.HunkPending)
	if err != nil {
		return nil, nil, err
	}
	open, _ := view.WithoutMade(s.Parts)
	fits, stale, _ := view.Fitting(open)
	for _, p := range fits {
		changes = append(changes, forward(p))
	}
	return changes, stale, nil
}

// executeReview asks the user to review the changes, and records which of them were accepted.
func (ds *Decisions) executeReview(x *checked) error {
	proposals := make([]state.Proposal, len(x.Parts))
	for i, p := range x.Parts {
		proposals[i].Change = x.changes[i]
		for _, k := range p.Hunks {
			hunk := p.File.Change.Hunks[k]
			proposals[i].Hunks = append(proposals[i].Hunks, state.ProposedHunk{ID: hunk.ID, Added: hunk.Added, Removed: hunk.Removed})
		}
	}
	outcomes, err := ds.session.Editor().Review(ds.root, x.held.Number(), proposals)
	if err != nil {
		ds.log.Warn("the editor went away while a plan was reviewed", zap.Int("plan", x.held.Number()), zap.Error(err))
	}
	for len(outcomes) < len(x.Parts) {
		outcomes = append(outcomes, edits.Applied{Status: edits.Unknown})
	}
	return ds.record(x, outcomes)
}
