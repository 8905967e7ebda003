package command

import (
	"context"
	"fmt"
	"strings"

	"redline/agent"
	"redline/agent/decide"
	"redline/agent/trial"
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
			turn, conversation, err := a.Turns.Mend(ctx, args.Plan, args.Trial, args.Feedback, r.ClientName)
			return Sent{turn, conversation}, err
		}
		turn, conversation, err := a.Turns.Rework(ctx, args.Plan, args.Feedback, r.ClientName)
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

// TryArgs is the argument of redline.try.
type TryArgs struct {
	Plan    int     `json:"plan"`              // the number of the plan
	Command *string `json:"command,omitempty"` // the command line; the plan's own commands in order when absent, or else the one that was tried last
	Cwd     string  `json:"cwd,omitempty"`     // the folder that the command runs in, a path like those of files; the workspace's root when absent
}

// tryTurn is the result of redline.try.
type tryTurn struct {
	Turn string `json:"turn"`
}

// try tries commands on what a plan proposes, and answers at once. The trial is a turn: it has
// progress, and can be cancelled.
func (r *Runner) try(args TryArgs) (wire.Run, error) {
	if err := needsPlan(Try, args.Plan); err != nil {
		return nil, err
	}
	request := trial.Request{Plan: args.Plan, Cwd: args.Cwd}
	switch {
	case args.Command != nil && strings.TrimSpace(*args.Command) == "":
		return nil, backend.InvalidParams(Try + `: "command" is empty: leave it out to mean the plan's own commands.`)
	case args.Command != nil:
		request.Commands = []string{*args.Command}
	case args.Cwd != "":
		return nil, backend.InvalidParams(Try + `: "cwd" is the folder of "command": name the command too.`)
	}
	return r.Backend.RunInOrder(func(ctx context.Context, a *agent.Agent) (any, error) {
		turn, err := a.Trials.Try(ctx, request)
		return tryTurn{turn}, err
	}), nil
}

// AllowTrialsArgs is the argument of redline.allowTrials.
type AllowTrialsArgs struct {
	Forbid bool `json:"forbid,omitempty"` // take it back instead
}

// trialsAllowed is the result of redline.allowTrials.
type trialsAllowed struct {
	Allowed bool   `json:"allowed"`
	Reason  string `json:"reason,omitempty"` // why not
}

// allowTrials records that the user allows trials of commands in this workspace, or no
// longer does.
func (r *Runner) allowTrials(args AllowTrialsArgs) (wire.Run, error) {
	return r.Backend.Run(func(ctx context.Context, a *agent.Agent) (any, error) {
		change := a.Trials.Allow
		if args.Forbid {
			change = a.Trials.Forbid
		}
		if err := change(ctx); err != nil {
			return nil, err
		}
		switch err := a.Trials.Allowed(ctx); {
		case err == nil:
			r.Window.Info("commands may be tried in this workspace before you approve: in isolation, and they change nothing of yours.")
			return trialsAllowed{Allowed: true}, nil
		case args.Forbid:
			r.Window.Info("commands are not tried in this workspace.")
			return trialsAllowed{Reason: err.Error()}, nil
		default:
			r.Window.Warn(fmt.Sprintf("commands are not tried here: %s.", err))
			return trialsAllowed{Reason: err.Error()}, nil
		}
	}), nil
}
