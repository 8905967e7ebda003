package agent

import (
	"context"
	"slices"

	"redline/agent/plan"
	"redline/edits"
)

// Undo takes back what was applied of a plan, a file or a hunk, and leaves
// everything that the user typed since. What is taken back is pending again.
// If the new lines of a hunk were changed since, the undo is refused as stale
// and names it, unless the decision says to skip such hunks.
func (a *Agent) Undo(ctx context.Context, d Decide) (Result, error) {
	return a.decide(ctx, d, a.prepareUndo)
}

// prepareUndo checks an undo. The caller holds a.deciding and a.mu.
func (a *Agent) prepareUndo(h *heldPlan, d Decide) (*execution, *plan.Decision, error) {
	if err := h.ready(plan.Undo); err != nil {
		return nil, nil, err
	}
	if d.Hash != "" || d.Revision != 0 {
		if err := h.bind(d); err != nil {
			return nil, nil, err
		}
	}
	a.lookAgain(h)
	s, err := h.scopeOf(d, applied)
	if err != nil {
		return nil, nil, err
	}
	if len(s.parts) == 0 {
		return nil, nil, h.nothingApplied()
	}
	x := &execution{verdict: plan.VerdictUndo, next: h.plan.Clone()}
	var conflicts []string
	for _, p := range s.parts {
		c, stale := backward(h.plan, p)
		conflicts = append(conflicts, stale...)
		switch p = p.without(stale); {
		case p.empty():
		case c.Kind == edits.Update && len(c.Edits) == 0: // the user has taken it back already
			markPending(x.next, h.revision, p)
			x.made = append(x.made, p)
		default:
			x.parts, x.changes = append(x.parts, p), append(x.changes, c)
		}
	}
	if len(conflicts) > 0 && (!d.SkipStale || len(x.parts)+len(x.made) == 0) {
		err := refuse(Stale, "The text of %s of plan %d was changed since it was applied: take it back by hand.",
			nounOf("hunk", conflicts), h.plan.Number).(*Refusal)
		err.Hunks = conflicts
		return nil, nil, err
	}
	return x, a.decision(h, d, plan.VerdictUndo, scope{parts: slices.Concat(x.parts, x.made)}), nil
}

// nothingApplied is the refusal of an undo that names nothing applied.
func (h *heldPlan) nothingApplied() error {
	if h.plan.Applied() && h.revision.Number > 1 {
		return refuse(WrongState, "What is applied of plan %d came from an earlier revision, which was reworked since: take it back by hand.", h.plan.Number)
	}
	return refuse(WrongState, "Nothing that this names in plan %d is applied.", h.plan.Number)
}

// backward is the change that takes one applied part of a plan back, on the
// file's text as it is now. Hunks whose new lines were changed since are
// returned in conflicts and are no part of it.
func backward(p *plan.Plan, of part) (c edits.Change, conflicts []string) {
	f := of.file
	c = edits.Change{Path: f.livePath(p), Base: f.live.Text()}
	switch f.change.Action {
	case plan.Create:
		c.Kind = edits.Delete
		if f.exists && f.live.Text() != f.proposed {
			conflicts = append(conflicts, f.change.Hunks[0].ID)
		}
		return c, conflicts
	case plan.Delete:
		c = edits.Change{Path: f.change.Path, Kind: edits.Create, Text: f.base, Mode: f.change.Mode, Restore: true}
		if f.exists && f.live.Text() != f.base { // some editors keep the buffer of a deleted file
			conflicts = append(conflicts, f.change.Hunks[0].ID)
		}
		return c, conflicts
	}
	if of.move {
		c.Kind, c.NewPath = edits.Rename, f.change.Path
	}
	for _, i := range of.hunks {
		hunk := f.change.Hunks[i]
		span, ok := f.placed.At(i)
		if ok && !f.has[i] {
			continue // the user has taken it back already
		}
		back := edits.Edit{Span: span, New: f.base[hunk.Old.Start:hunk.Old.End]}
		if !ok || !edits.KeepsLines(c.Base, back) {
			conflicts = append(conflicts, hunk.ID)
			continue
		}
		c.Edits = append(c.Edits, back)
	}
	return c, conflicts
}
