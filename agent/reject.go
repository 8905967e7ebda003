package agent

import (
	"context"

	"redline/agent/plan"
	"redline/edits"
)

// Reject strikes out what the decision names; nothing in the workspace
// changes. Rejecting the last undecided part ends the plan.
func (a *Agent) Reject(ctx context.Context, d Decide, enc edits.Encoding) (PlanState, error) {
	h, err := a.find(ctx, d.Plan)
	if err != nil {
		return PlanState{}, err
	}
	a.mu.Lock()
	err = a.reject(ctx, h, d)
	var s PlanState
	if err == nil {
		s = a.planState(h, enc)
	}
	a.mu.Unlock()
	if err != nil {
		return PlanState{}, err
	}
	a.announce(h, "")
	return s, nil
}

// reject checks and records a rejection. The caller holds a.mu.
func (a *Agent) reject(ctx context.Context, h *heldPlan, d Decide) error {
	if err := h.ready(plan.RequestRevision); err != nil { // possible wherever a plan can be changed
		return err
	}
	if err := h.bind(d); err != nil {
		return err
	}
	s, err := h.scopeOf(d, undecided)
	if err != nil {
		return err
	}
	if len(s.parts)+len(s.commands) == 0 {
		return refuse(WrongState, "Nothing that this names in plan %d is still undecided.", h.plan.Number)
	}
	next := h.plan.Clone()
	for _, p := range s.parts {
		for _, i := range p.hunks {
			next.Progress.MarkHunk(p.file.change.Hunks[i].ID, plan.HunkRejected, d.Reason)
		}
		if p.move {
			next.Progress.MarkFile(h.revision.Number, p.file.change.Path, plan.FileRejected, d.Reason)
		}
	}
	for _, id := range s.commands {
		next.Progress.MarkCommand(id, plan.CommandMark{Status: plan.CommandRejected, Reason: d.Reason})
	}
	if err := afterReject(next, h.revision); err != nil {
		return refuse(WrongState, "Plan %d: %s", h.plan.Number, err)
	}
	next.Updated = a.now().UTC()
	if err := a.store.Save(ctx, a.workspaceKey(), next, a.decision(h, d, plan.VerdictReject, s)); err != nil {
		return err
	}
	h.plan = next
	for _, f := range h.files {
		a.place(h, f)
	}
	a.changed(h)
	a.forgetDecided(h)
	return nil
}

// afterReject moves a plan on after a part of it was rejected. A failed plan
// of which nothing is left to decide is given up.
func afterReject(p *plan.Plan, r *plan.Revision) error {
	event, ok := p.AfterReject(r)
	if !ok {
		return nil
	}
	if p.State == plan.Failed {
		event = plan.Cancel
	}
	return p.Apply(event)
}
