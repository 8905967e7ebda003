package lsp

import (
	"context"
	"fmt"

	"redline/agent/decision"
	"redline/agent/state"
	"redline/lsp/summary"
)

// carryOut lets the agent execute a decision and shows the outcome. If the agent answers
// before the execution has ended, an event brings the outcome later.
func (d *decisions) carryOut(ctx context.Context, decision decision.Request,
	run func(context.Context, decision.Request) (state.Result, error)) (any, error) {
	r, err := run(ctx, decision)
	switch {
	case err != nil:
		return nil, err
	case r.InWords(): // a message follows at the end of its turn
		d.window.Info(fmt.Sprintf("plan %d is being worked out: you will see the edits before anything changes.", decision.Plan))
	case r.Outcome == nil: // only commands run: a message follows at the end of their turn
	case !r.Outcome.Ended:
		d.window.Info(fmt.Sprintf("plan %d is still being %s: the editor has not answered yet.", decision.Plan, summary.PastTense(r.Outcome.Verdict)))
	default:
		d.window.Tell(summary.Outcome(d.workspace, decision.Plan, r.Outcome))
	}
	return r, nil
}
