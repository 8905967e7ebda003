package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"redline/agent"
	"redline/agent/plan"
	"redline/agent/state"
	"redline/agent/view"
	"redline/edits"
)

// approved is the result of an approval and of the commands that it allowed.
type approved struct {
	state.Result
	report *string // the model's report on the commands, nil for none
	failed error   // why a command failed, or the model's report
}

// approvePlan approves, then waits for the allowed commands and for the model's report on
// them. A missing report is printed, and is not an error.
func approvePlan(ctx context.Context, a *agent.Agent, c *console, d view.Request) (r approved, err error) {
	r.Result, err = a.Approve(ctx, d)
	if err != nil || r.Turn == "" {
		return r, err
	}
	turn, err := a.Conversations.Wait(ctx, r.Turn)
	if err != nil {
		a.Cancel(r.Turn)
		r.failed = errors.New("interrupted: redline plans show lists what was done")
		return r, nil
	}
	if r.failed = a.Conversations.Failure(r.Turn); r.failed != nil {
		if p, err := a.Board.PlanState(ctx, d.Plan); err == nil && commandFailed(&p) {
			r.failed = commandError{r.failed}
		}
	}
	if turn.Report == "" {
		return r, nil
	}
	switch report, err := await(ctx, a, turn.Report); {
	case err != nil || report.Error != nil:
		fmt.Fprintf(c.err, "redline: the model did not report on the commands: %s\n", edits.Visible(cmp.Or(err, a.Conversations.Failure(turn.Report)).Error()))
	default:
		r.report = report.Answer
	}
	return r, nil
}

// tellReport prints the model's report on the commands of a plan.
func printReport(c *console, report *string) {
	if report != nil && !c.json {
		if c.live == nil { // otherwise it was printed while it arrived
			fmt.Fprintln(c.out)
		}
		c.answer(*report)
	}
}

// askCommands asks at a terminal about each remaining command of a plan, in order, and
// runs or rejects it. It stops after a failed command, and when the user wants to decide
// later. report is the model's report on the last commands, nil for none.
func askCommands(ctx context.Context, a *agent.Agent, con *console, n int) (report *string, err error) {
	for {
		p, err := a.Board.PlanState(ctx, n)
		if err != nil {
			return nil, err
		}
		command := pendingCommand(&p)
		if command == nil || !plan.State(p.State).Open() {
			return report, nil
		}
		answer, err := con.Ask(ctx, state.Question{
			Text: fmt.Sprintf("Run command %s%s: %s", command.ID, plan.InFolder(command.Cwd), commandText(command.Command)), Options: []string{"yes", "no", "later"},
		})
		if err != nil {
			return report, errors.New("interrupted: redline plans show lists what was done")
		}
		d := view.Request{Plan: n, Hash: p.Hash, Operation: command.ID, Way: view.ByChoice, Client: clientName}
		var done approved
		switch answer.Choice {
		case "yes":
			done, err = approvePlan(ctx, a, con, d)
			report = done.report
		case "no":
			_, err = a.Reject(ctx, d)
		default:
			return report, nil
		}
		if err = cmp.Or(err, done.failed); err != nil {
			return report, err
		}
	}
}

// commandFailed reports whether a command of a plan failed, but no file.
func commandFailed(p *state.Plan) bool {
	return slices.ContainsFunc(p.Commands, func(c state.Command) bool { return c.Status == string(plan.CommandFailed) }) &&
		!slices.ContainsFunc(p.Files, func(f state.File) bool { return f.Status == string(plan.FileFailed) })
}

// waits reports whether any edit of a plan is undecided.
func waits(p *state.Plan) bool {
	return slices.ContainsFunc(p.Files, func(f state.File) bool {
		return f.Status == string(plan.FilePending) || f.Status == string(plan.FileStale)
	})
}

// pendingCommand returns the first undecided command that can run now, nil if there is
// none.
func pendingCommand(p *state.Plan) *state.Command {
	for i := range p.Commands {
		if p.Commands[i].Status == string(plan.CommandPending) && p.Commands[i].Waits == "" {
			return &p.Commands[i]
		}
	}
	return nil
}

// tellCommands prints the results of a plan's commands.
func tellCommands(c *console, p *state.Plan) {
	for _, command := range p.Commands {
		if command.Status == string(plan.CommandPending) {
			continue
		}
		code := ""
		if command.ExitCode != nil && *command.ExitCode != 0 {
			code = fmt.Sprintf(", exit code %d", *command.ExitCode)
		}
		fmt.Fprintf(c.out, "%s %s: %s%s%s\n", command.ID, commandText(plan.CommandIn(command.Command, command.Cwd)), commandWord(&command), code, because(command.Reason))
	}
}

// commandWord returns the status of a command in words.
func commandWord(c *state.Command) string {
	return plan.CommandWords(plan.CommandStatus(c.Status), plan.Class(c.Verdict))
}
