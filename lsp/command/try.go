package command

import (
	"context"
	"fmt"
	"strings"

	"redline/agent"
	"redline/agent/trial"
	"redline/lsp/backend"
	"redline/lsp/wire"
)

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
		turn, err := a.Try(ctx, request)
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
		change := a.AllowTrials
		if args.Forbid {
			change = a.ForbidTrials
		}
		if err := change(ctx); err != nil {
			return nil, err
		}
		switch err := a.TrialsAllowed(ctx); {
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
