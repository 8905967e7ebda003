package agent

import (
	"context"
	"slices"

	"redline/agent/editor"
	"redline/agent/plan"
	"redline/agent/state"
	"redline/edits"
)

// Review puts what the decision names into the editor's own review, where the
// user lets changes through one by one. It is checked and recorded like an
// approval. What was let through is applied; the rest stays pending, nothing is
// rejected by it and nothing taken back. It returns like [Agent.Approve].
func (ds *Decisions) Review(ctx context.Context, d Decide) (state.Result, error) {
	d, err := ds.settled(ctx, d)
	if err != nil {
		return state.Result{}, err
	}
	return ds.decide(ctx, d, ds.prepareReview)
}

// prepareReview checks a review. The caller has locked the plan and holds Board.mu.
func (ds *Decisions) prepareReview(l *ahead, h *heldPlan, d Decide) (*execution, *plan.Decision, error) {
	x, decision, err := ds.prepareApproval(l, h, d)
	if err != nil {
		return nil, nil, err
	}
	if len(x.parts) > 0 { // or else the user has made all of it by hand
		x.review, decision.Verdict = true, plan.VerdictReview
	}
	return x, decision, nil
}

// Pending returns what is undecided of a plan as changes to the texts as they
// are now, for an editor that shows them itself, and the ids of the hunks that
// are stale and not among them. Nothing is decided by it.
func (ds *Decisions) Pending(ctx context.Context, n int) (changes []edits.Change, stale []string, err error) {
	h, err := ds.board.find(ctx, n)
	if err != nil {
		return nil, nil, err
	}
	defer ds.board.lock(h)()
	l := ds.board.lockRead(h)
	defer ds.board.mu.Unlock()
	if err := h.ready(plan.Execute); err != nil {
		return nil, nil, err
	}
	ds.board.lookAgain(l, h)
	s, err := ds.board.planView(h).scope(Decide{Plan: n}, undecided)
	if err != nil {
		return nil, nil, err
	}
	fits, stale, _ := fitting(s)
	for _, p := range fits.parts {
		changes = append(changes, forward(p))
	}
	return changes, stale, nil
}

// executeReview has the user review the changes, and records what of each file
// was let through.
func (ds *Decisions) executeReview(h *heldPlan, x *execution) error {
	proposals := make([]editor.Proposal, len(x.parts))
	for i, p := range x.parts {
		proposals[i] = editor.Proposal{Change: x.changes[i], Hunks: p.proposed()}
	}
	outcomes, err := ds.session.Editor().Review(ds.root, x.next.Number, proposals)
	if err != nil {
		ds.log.Warn("the editor went away while a plan was reviewed", planField(x.next.Number), errorField(err))
	}
	defer ds.board.lock(h)()
	next := h.plan().Clone()
	waiting := false
	for i, p := range x.parts {
		o := edits.Applied{Status: edits.Unknown}
		if i < len(outcomes) {
			o = outcomes[i]
		}
		noteReviewed(next, h.revision(), p, o)
		next.Progress.MarkUnsaved(h.revision().Number, p.file.Change.Path, unsaved(ds.ws, next, p.file))
		waiting = waiting || o.Status == edits.Unknown
	}
	ds.board.mu.Lock()
	x.waiting = waiting
	ds.board.mu.Unlock()
	return ds.board.conclude(h, x, next)
}

// asked is what the execution asks of the editor, as it is stored.
func (x *execution) asked() plan.Verdict {
	if x.review {
		return plan.VerdictReview
	}
	return x.verdict
}

// proposed is what a user is told of the part's hunks.
func (p part) proposed() []editor.ProposedHunk {
	var hunks []editor.ProposedHunk
	for _, i := range p.hunks {
		hunk := p.file.Change.Hunks[i]
		hunks = append(hunks, editor.ProposedHunk{ID: hunk.ID, Added: hunk.Added, Removed: hunk.Removed})
	}
	return hunks
}

// noteReviewed notes what the user let through of one part: each hunk by
// itself. What was not let through is pending, without a failure.
func noteReviewed(p *plan.Plan, r *plan.Revision, part part, o edits.Applied) {
	path := part.file.Change.Path
	switch o.Status {
	case edits.Done:
		markApplied(p, r, part)
		return
	case edits.Unknown:
		p.Progress.MarkFile(r.Number, path, plan.FileApplying, o.Reason)
		return
	case edits.Refused:
		o.Landings, o.Move = slices.Repeat([]edits.Landing{edits.Absent}, len(part.hunks)), edits.Absent
	}
	var unclear []string
	for k, i := range part.hunks {
		id := part.file.Change.Hunks[i].ID
		switch {
		case k >= len(o.Landings) || o.Landings[k] == edits.Unclear:
			unclear = append(unclear, id)
		case o.Landings[k] == edits.Landed:
			p.Progress.MarkHunk(id, plan.HunkApplied, "")
		default:
			p.Progress.MarkHunk(id, plan.HunkPending, "")
		}
	}
	moving := part.move && o.Move == edits.Unclear
	switch {
	case part.move && o.Move == edits.Landed:
		p.Progress.MarkFile(r.Number, path, plan.FileApplied, o.Reason)
	case part.move && o.Move == edits.Absent:
		p.Progress.MarkFile(r.Number, path, plan.FilePending, o.Reason)
	default:
		p.Progress.Settle(r.Number, path, o.Reason)
	}
	if len(unclear) > 0 || moving {
		p.Progress.MarkSent(r.Number, path, plan.Sent{Verdict: plan.VerdictReview, Hunks: unclear, Move: moving})
		p.Progress.MarkFile(r.Number, path, plan.FileUnverified, o.Reason)
	}
}
