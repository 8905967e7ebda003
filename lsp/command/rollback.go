package command

import (
	"context"

	"redline/agent"
	"redline/lsp/backend"
	"redline/lsp/wire"
)

type rollbackArgs struct {
	Plan     int `json:"plan"`     // the number of the plan
	Revision int `json:"revision"` // the revision whose content the new one has
}

// rollback makes a revision with the content of an earlier one.
func (r *Runner) rollback(args rollbackArgs) (wire.Run, error) {
	if err := needsPlan(Rollback, args.Plan); err != nil {
		return nil, err
	}
	if args.Revision < 1 {
		return nil, backend.InvalidParams(Rollback + `: "revision" must be the number of a revision, 1 or more.`)
	}
	return r.Backend.Run(func(ctx context.Context, a *agent.Agent) (any, error) {
		return r.planResult(a.Rollback(ctx, args.Plan, args.Revision))
	}), nil
}
