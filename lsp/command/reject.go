package command

import (
	"context"

	"redline/agent"
	"redline/lsp/wire"
)

// Reject rejects what the argument names. Its result is the plan.
func (r *Runner) Reject(args DecideArgs) (wire.Run, error) {
	decision, err := decisionOf(Reject, args, r.ClientName)
	if err != nil {
		return nil, err
	}
	return r.Backend.Run(func(ctx context.Context, a *agent.Agent) (any, error) {
		if err := r.bind(ctx, a, &decision); err != nil {
			return nil, err
		}
		return r.planResult(a.Reject(ctx, decision))
	}), nil
}
