package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"redline/agent"
	"redline/agent/decision"
	"redline/agent/editor"
	"redline/agent/plan"
	"redline/agent/state"
)

// approve approves and waits until the commands that this allows have ended. failed is the
// error of a command.
func approve(ctx context.Context, a *agent.Agent, d decision.Request) (r state.Result, err, failed error) {
	r, err = a.Approve(ctx, d)
	if err != nil || r.Turn == "" {
		return r, err, nil
	}
	if _, err := a.Wait(ctx, r.Turn); err != nil {
		a.Cancel(r.Turn)
		return r, nil, errors.New("interrupted: redline plans show tells what was done")
	}
	return r, nil, a.Failure(r.Turn)
}

// askCommands asks at a terminal about each remaining command of a plan, in order, and runs
// or rejects it. It stops after a failed command, and when the user wants to decide later.
func askCommands(ctx context.Context, a *agent.Agent, con *console, n int) error {
	for {
		p, err := a.PlanState(ctx, n)
		if err != nil {
			return err
		}
		command := pendingCommand(&p)
		if command == nil || !plan.State(p.State).Open() {
			return nil
		}
		answer, err := con.Ask(ctx, editor.Question{
			Text: fmt.Sprintf("Run command %s%s: %s ?", command.ID, plan.In(command.Cwd), commandText(command.Command)), Options: []string{"yes", "no", "later"},
		})
		if err != nil {
			return errors.New("interrupted: redline plans show tells what was done")
		}
		d := decision.Request{Plan: n, Hash: p.Hash, Operation: command.ID, Client: clientName}
		var failed error
		switch answer.Choice {
		case "yes":
			_, err, failed = approve(ctx, a, d)
		case "no":
			_, err = a.Reject(ctx, d)
		default:
			return nil
		}
		if err != nil {
			return err
		}
		if failed != nil {
			return failed
		}
	}
}

// waits reports whether any edit of a plan is undecided.
func waits(p *state.Plan) bool {
	return slices.ContainsFunc(p.Files, func(f state.File) bool {
		return f.Status == string(plan.FilePending) || f.Status == string(plan.FileStale)
	})
}

// pendingCommand returns the first undecided command that can run now, nil for none.
func pendingCommand(p *state.Plan) *state.Command {
	for i := range p.Commands {
		if p.Commands[i].Status == string(plan.CommandPending) && p.Commands[i].Waits == "" {
			return &p.Commands[i]
		}
	}
	return nil
}

// tellCommands prints the results of a plan's commands.
func (c *console) tellCommands(p *state.Plan) {
	for _, command := range p.Commands {
		if command.Status == string(plan.CommandPending) {
			continue
		}
		code := ""
		if command.ExitCode != nil && *command.ExitCode != 0 {
			code = fmt.Sprintf(", exit code %d", *command.ExitCode)
		}
		fmt.Fprintf(c.out, "%s %s: %s%s%s\n", command.ID, commandText(plan.CommandIn(command.Command, command.Cwd)), words(command.Status), code, because(command.Reason))
	}
}
