package command

import (
	"context"

	"redline/agent"
	"redline/lsp/wire"
)

// Approve applies what the argument names. It answers when the texts are verified, or after
// five seconds with the state executing.
func (r *Runner) Approve(args DecideArgs) (wire.Run, error) {
	decision, err := decisionOf(Approve, args, r.ClientName)
	if err != nil {
		return nil, err
	}
	return r.Backend.Run(func(ctx context.Context, a *agent.Agent) (any, error) {
		if err := r.bind(ctx, a, &decision); err != nil {
			return nil, err
		}
		return r.carryOut(ctx, decision, a.Approve)
	}), nil
}
