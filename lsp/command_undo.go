package lsp

import (
	"context"

	"redline/agent"
	"redline/lsp/wire"
)

// undo reverts what was applied of a plan, of one of its files or of a hunk.
func (r *runner) undo(args decideArgs) (wire.Run, error) {
	decision, err := decisionOf(commandUndo, args, r.options.ClientName)
	if err != nil {
		return nil, err
	}
	return r.options.Backend.Run(func(ctx context.Context, a *agent.Agent) (any, error) {
		return r.carryOut(ctx, decision, a.Undo)
	}), nil
}
