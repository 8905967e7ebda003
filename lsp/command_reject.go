package lsp

import (
	"context"

	"redline/agent"
	"redline/lsp/wire"
)

// reject rejects what the argument names. Its result is the plan.
func (d *decisions) reject(args decideArgs) (wire.Run, error) {
	decision, err := decisionOf(commandReject, args, d.client.name)
	if err != nil {
		return nil, err
	}
	return d.backend.Run(func(ctx context.Context, a *agent.Agent) (any, error) {
		if err := d.bind(ctx, a, &decision); err != nil {
			return nil, err
		}
		return d.told(a.Reject(ctx, decision))
	}), nil
}
