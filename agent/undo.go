package agent

import (
	"context"

	"redline/agent/plan"
)

// Undo takes back what was applied of a plan, a file or a hunk, and leaves
// everything that the user typed since. What is taken back is pending again.
// If the new lines of a hunk were changed since, the undo is refused as stale
// and names it, unless the decision says to skip such hunks.
func (a *Agent) Undo(ctx context.Context, d Decide) (Result, error) {
	h, err := a.find(ctx, d.Plan)
	if err != nil {
		return Result{}, err
	}
	if err := a.settle(ctx, h, true); err != nil {
		return Result{}, err
	}
	a.mu.Lock()
	x, err := a.prepareUndo(ctx, h, d)
	a.mu.Unlock()
	if err != nil {
		return Result{}, err
	}
	return a.carryOut(ctx, h, x)
}

// prepareUndo checks an undo and records it together with what is about to be
// sent. The caller holds a.mu.
func (a *Agent) prepareUndo(ctx context.Context, h *heldPlan, d Decide) (*execution, error) {
	if err := h.ready(plan.Undo); err != nil {
		return nil, err
	}
	if d.Hash != "" || d.Revision != 0 {
		if err := h.bind(d); err != nil {
			return nil, err
		}
	}
	a.replace(h)
	s, err := h.scopeOf(d, applied)
	if err != nil {
		return nil, err
	}
	if len(s.parts) == 0 || !h.plan.Applied() {
		return nil, refuse(WrongState, "Nothing that this names in plan %d is applied.", h.plan.Number)
	}
	x := &execution{verdict: plan.VerdictUndo}
	var conflicts []string
	for _, p := range s.parts {
		c, stale := a.backward(h, p)
		conflicts = append(conflicts, stale...)
		if len(stale) > 0 {
			p.hunks = scope{parts: []part{p}}.without(stale).hunksOf(p.file)
			if len(p.hunks) == 0 && !p.move {
				continue
			}
		}
		x.parts, x.changes = append(x.parts, p), append(x.changes, c)
	}
	if len(conflicts) > 0 && (!d.SkipStale || len(x.parts) == 0) {
		err := refuse(Stale, "The text of %s of plan %d was changed since it was applied: take it back by hand.",
			nounOf("hunk", conflicts), h.plan.Number).(*Refusal)
		err.Hunks = conflicts
		return nil, err
	}
	next := h.plan.Clone()
	for _, p := range x.parts {
		next.Progress.MarkFile(h.revision.Number, p.file.change.Path, plan.FileApplying, "")
	}
	return x, a.begin(ctx, h, next, x, a.decision(h, d, plan.VerdictUndo, scope{parts: x.parts}))
}

// hunksOf returns the hunks of a scope that are in one file.
func (s scope) hunksOf(f *heldFile) []int {
	for _, p := range s.parts {
		if p.file == f {
			return p.hunks
		}
	}
	return nil
}

// afterUndo is the state of a plan of which something was taken back.
func afterUndo(p *plan.Plan) plan.State {
	if next, err := p.State.Next(plan.Undo); err == nil {
		return next
	}
	return p.State
}
