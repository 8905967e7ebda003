package lsp

import (
	"context"
	"fmt"

	"redline/agent"
	"redline/agent/decision"
	"redline/agent/plan"
	"redline/agent/refusal"
	"redline/agent/state"
	"redline/lsp/backend"
	"redline/lsp/position"
	"redline/lsp/shown"
	"redline/lsp/window"
	"redline/workspace"
)

// decisions has the agent execute what the user decides, and reports the outcome.
type decisions struct {
	positions position.Mapper
	client    client
	backend   *backend.Backend
	shown     *shown.Revisions
	window    *window.Window
	workspace *workspace.Workspace
}

// bind binds a decision that names no revision to the one that this client was shown
// last. It refuses a plan that was never shown here.
func (d *decisions) bind(ctx context.Context, a *agent.Agent, decision *decision.Request) error {
	if d.shown.Bind(decision) {
		return nil
	}
	if _, err := a.PlanState(ctx, decision.Plan); err != nil {
		return err
	}
	return &refusal.Error{Kind: refusal.HashMismatch,
		Reason: fmt.Sprintf("Plan %d has not been shown here yet: look at it first, then decide.", decision.Plan)}
}

// noteTold notes that the client has read a plan: it was shown its revision.
func (d *decisions) noteTold(p state.Plan) {
	if plan.State(p.State).Open() {
		d.shown.Note(p.Plan, p.Revision, p.Hash)
	} else { // it is on record from when it was decided
		d.shown.Remember(p.Plan, p.Revision, p.Hash)
	}
}

// told returns the result of a command that answers with a plan: the plan with its ranges.
func (d *decisions) told(p state.Plan, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	d.noteTold(p)
	return d.positions.Plan(&p), nil
}
