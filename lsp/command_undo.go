package lsp

import (
	"context"

	"redline/agent"
	"redline/lsp/wire"
)

// undo reverts what was applied of a plan, of one of its files or of a hunk.
func (d *decisions) undo(args decideArgs) (wire.Run, error) {
	decision, err := decisionOf(commandUndo, args, d.client.name)
	if err != nil {
		return nil, err
	}
	return d.backend.Run(func(ctx context.Context, a *agent.Agent) (any, error) {
		return d.carryOut(ctx, decision, a.Undo)
	}), nil
}
