package command

import (
	"context"
	"strings"

	"redline/agent"
	"redline/lsp/backend"
	"redline/lsp/wire"
)

type reworkArgs struct {
	Plan     int    `json:"plan"`     // the number of the plan
	Feedback string `json:"feedback"` // what should be different
}

// rework asks the agent for another revision of a plan, and answers at once.
func (r *Runner) rework(args reworkArgs) (wire.Run, error) {
	if err := needsPlan(Rework, args.Plan); err != nil {
		return nil, err
	}
	if strings.TrimSpace(args.Feedback) == "" {
		return nil, backend.InvalidParams(Rework + `: "feedback" must say what should be different.`)
	}
	return r.Backend.RunInOrder(func(ctx context.Context, a *agent.Agent) (any, error) {
		turn, conversation, err := a.Rework(ctx, args.Plan, args.Feedback, r.ClientName)
		return Sent{turn, conversation}, err
	}), nil
}
