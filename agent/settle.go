package agent

import (
	"context"

	"redline/agent/plan"
)

// goesOn reports whether a turn may still add operations to the plan. The caller does not
// hold a.mu.
func (a *Agent) goesOn(h *heldPlan) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return h.staging
}

// settle closes a plan of which nothing is left to decide, as after a turn that
// could have staged more.
func (a *Agent) settle(ctx context.Context, h *heldPlan) error {
	a.deciding.Lock()
	defer a.deciding.Unlock()
	a.mu.Lock()
	r, next, busy := h.revision, h.plan.Clone(), h.execution != nil || h.staging
	a.mu.Unlock()
	if s := next.State; busy || len(r.Operations) == 0 || s != plan.AwaitingApproval && s != plan.Reviewing || !next.Undecided(r).None() {
		return nil
	}
	event, _ := next.AfterReject(r)
	if err := next.Apply(event); err != nil {
		return err
	}
	next.Updated = a.now().UTC()
	if err := a.store.Save(ctx, a.workspaceKey(), next, nil); err != nil {
		return a.kept(next.Number, err)
	}
	a.swap(h, next, event)
	return nil
}
