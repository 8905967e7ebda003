package command

import (
	"context"
	"strings"

	"redline/agent"
	"redline/agent/decide"
	"redline/lsp/backend"
	"redline/lsp/wire"
)

type stageArgs struct {
	Plan    int      `json:"plan"`              // the number of the plan
	Remove  []string `json:"remove,omitempty"`  // operations to take out
	Restore []string `json:"restore,omitempty"` // operations to put back that were taken out, see `takenOut` of the [plan](state.md#a-plan)
	Order   []string `json:"order,omitempty"`   // operations that change places among themselves
	Clear   bool     `json:"clear,omitempty"`   // take all operations out
}

// stage makes a revision of a plan without some operations, with some that were taken out, or with
// some of them in another order. If the argument asks for none of it, it returns the plan unchanged.
func (r *Runner) stage(args stageArgs) (wire.Run, error) {
	if err := needsPlan(Stage, args.Plan); err != nil {
		return nil, err
	}
	switch {
	case args.Remove != nil && len(args.Remove) == 0:
		return nil, backend.InvalidParams(Stage + `: "remove" must name an operation, or be left out.`)
	case args.Restore != nil && len(args.Restore) == 0:
		return nil, backend.InvalidParams(Stage + `: "restore" must name an operation, or be left out.`)
	case args.Order != nil && len(args.Order) == 0:
		return nil, backend.InvalidParams(Stage + `: "order" must name operations, or be left out.`)
	}
	return r.Backend.Run(func(ctx context.Context, a *agent.Agent) (any, error) {
		return r.planResult(a.Stage(ctx, decide.Staging{Plan: args.Plan, Remove: args.Remove, Restore: args.Restore, Order: args.Order, Clear: args.Clear}))
	}), nil
}

// ReworkArgs is the argument of redline.rework.
type ReworkArgs struct {
	Plan     int    `json:"plan"`               // the number of the plan
	Feedback string `json:"feedback,omitempty"` // what should be different; without it and without `trial`: what has failed
	Trial    string `json:"trial,omitempty"`    // the id of a trial that has failed: its command, its verdict and its output are feedback too
}

// rework asks the agent for another revision of a plan, and answers at once.
func (r *Runner) rework(args ReworkArgs) (wire.Run, error) {
	if err := needsPlan(Rework, args.Plan); err != nil {
		return nil, err
	}
	return r.Backend.RunInOrder(func(ctx context.Context, a *agent.Agent) (any, error) {
		if args.Trial != "" || strings.TrimSpace(args.Feedback) == "" {
			turn, conversation, err := a.Mend(ctx, args.Plan, args.Trial, args.Feedback, r.ClientName)
			return Sent{turn, conversation}, err
		}
		turn, conversation, err := a.Rework(ctx, args.Plan, args.Feedback, r.ClientName)
		return Sent{turn, conversation}, err
	}), nil
}

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
