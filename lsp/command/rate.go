package command

import (
	"context"
	"fmt"

	"redline/agent"
	"redline/agent/plan"
	"redline/lsp/backend"
	"redline/lsp/wire"
)

type rateArgs struct {
	Plan   int `json:"plan"`   // the number of the plan
	Rating int `json:"rating"` // from 1 (bad) to 5 (good)
}

// rate stores the user's rating of a plan. Its result is the plan.
func (r *Runner) rate(args rateArgs) (wire.Run, error) {
	if err := needsPlan(Rate, args.Plan); err != nil {
		return nil, err
	}
	if args.Rating < plan.RatedBad || args.Rating > plan.RatedGood {
		return nil, backend.InvalidParams(fmt.Sprintf(`%s: "rating" must be a number from %d to %d.`, Rate, plan.RatedBad, plan.RatedGood))
	}
	return r.Backend.Run(func(ctx context.Context, a *agent.Agent) (any, error) {
		return r.planResult(a.Rate(ctx, args.Plan, args.Rating))
	}), nil
}
