package command

import (
	"context"

	"redline/agent"
	"redline/lsp/wire"
)

// undo reverts what was applied of a plan, of a file or of a hunk.
func (r *Runner) undo(args DecideArgs) (wire.Run, error) {
	decision, err := decisionOf(Undo, args, r.ClientName)
	if err != nil {
		return nil, err
	}
	return r.Backend.Run(func(ctx context.Context, a *agent.Agent) (any, error) {
		return r.carryOut(ctx, decision, a.Undo)
	}), nil
}
