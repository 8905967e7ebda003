package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"redline/agent"
	"redline/agent/plan"
	"redline/agent/state"
	"redline/agent/view"
)

// decideOnRun carries out the user's decision on the plan of a run.
func decideOnRun(ctx context.Context, a *agent.Agent, con *console, f *runFlags, result *runResult) error {
	p := result.Plan
	undone := con.unfinished(result, f.approve, exitWaiting)
	if undone != nil && f.approve {
		return undone
	}
	d := view.Request{Plan: p.Plan, Hash: p.Hash, AllowCommands: f.commands.all, NoCommands: f.commands.none, Way: view.ByChoice, Client: clientName}
	approve := f.approve
	if approve {
		d.Way = view.ByCommandLine
	}
	asks := !approve && !f.planOnly && isTerminal(con.in) && !f.json
	asksCommands := asks && f.commands == allowance{}
	con.asksNext = asksCommands
	if asksCommands && pendingCommand(p) != nil && !waits(p) {
		return commandsAndTell(ctx, a, con, p.Plan, result)
	}
	if asks {
		decided, err := askPlan(ctx, a, con, p)
		if err != nil {
			f.tellLater(con, a.Kept(), p.Plan)
			return errInterrupted
		}
		p, result.Plan, d.Hash = decided.plan, decided.plan, decided.plan.Hash
		switch decided.answer {
		case "yes":
			approve = true
		case "no":
			rejected, err := a.Reject(ctx, d)
			if err != nil {
				return err
			}
			tellState(con, &rejected)
			return nil
		case "rework":
			return f.rework(ctx, a, con, decided.words, result)
		case "hunks":
			con.asksNext = asksCommands && len(decided.left) == 0
			return commandsNext(ctx, a, con, carryOut(ctx, a, con, d, decided.verdict, result), con.asksNext, result)
		}
	}
	onlyCommands := len(p.Files) == 0 && !p.TextOnly && !f.commands.all // --approve is about edits
	if !approve || onlyCommands {
		if !f.json {
			f.tellLater(con, a.Kept(), p.Plan)
		}
		return status(exitWaiting)
	}
	if p.TextOnly {
		return workOutAndDecide(ctx, a, con, *f, d, result)
	}
	return commandsNext(ctx, a, con, approveAndTell(ctx, a, con, d, result), asksCommands, result)
}

// rework runs a turn that makes another revision of the plan of a run, and carries out the user's
// decision on it; on the plan as it was if there is no other revision.
func (f *runFlags) rework(ctx context.Context, a *agent.Agent, con *console, words string, result *runResult) error {
	next, n := *f, result.Plan.Plan
	next.conversation, next.latest, next.mode, next.agent, next.with, next.adopts = cmp.Or(result.talk, f.conversation), false, "", "", "", nil
	next.files.output = ""
	result.Plan = nil
	err := turnAndDecide(ctx, a, con, &next, fmt.Sprintf("/rework %d %s", n, words), result)
	if result.Plan != nil || ctx.Err() != nil {
		return err
	}
	if err != nil && !errors.As(err, new(status)) { // the plan waits all the same
		con.sorry(err)
	}
	p, failed := a.Board.PlanState(ctx, n)
	if failed != nil {
		return failed
	}
	result.Plan = &p
	return decideOnRun(ctx, a, con, f, result)
}

// commandsNext asks about the commands of a plan once its edits are decided on, if the
// user is to be asked. err is the result of the edits.
func commandsNext(ctx context.Context, a *agent.Agent, con *console, err error, asks bool, result *runResult) error {
	left := status(0)
	if err != nil && (!errors.As(err, &left) || left != exitWaiting) {
		return err // nothing was applied, or a command has failed
	}
	if !asks || pendingCommand(result.Plan) == nil {
		return err
	}
	return commandsAndTell(ctx, a, con, result.Plan.Plan, result)
}

// commandsAndTell asks about the commands of a plan and prints its state.
func commandsAndTell(ctx context.Context, a *agent.Agent, con *console, n int, result *runResult) error {
	report, failed := askCommands(ctx, a, con, n)
	p, err := a.Board.PlanState(context.WithoutCancel(ctx), n)
	if err != nil {
		return err
	}
	result.Plan = &p
	tellCommands(con, &p)
	tellState(con, &p)
	result.Report = cmp.Or(report, result.Report)
	printReport(con, report)
	if failed != nil {
		return failed
	}
	return waiting(&p)
}

// approveAndTell approves, prints the result for each file and returns the exit status of the
// plan.
func approveAndTell(ctx context.Context, a *agent.Agent, con *console, d view.Request, result *runResult) error {
	r, err := approvePlan(ctx, a, con, d)
	if err != nil {
		return err
	}
	p, err := a.Board.PlanState(context.WithoutCancel(ctx), d.Plan)
	if err != nil {
		return err
	}
	result.Plan = &p
	if !con.json {
		tellFiles(con, &p, r.Result)
	}
	result.Report = r.report
	printReport(con, r.report)
	if r.failed != nil {
		return r.failed
	}
	return waiting(&p)
}

// waiting returns the exit status for a plan: 3 while part of it is undecided, 6 if a
// command failed, even one after which the plan continued, and 4 if the plan failed in
// another way.
func waiting(p *state.Plan) error {
	switch s := plan.State(p.State); {
	case s == plan.AwaitingApproval, s == plan.Reviewing, s == plan.Executing, s == plan.Drafting:
		return status(exitWaiting)
	case commandFailed(p):
		return status(exitCommand)
	case s == plan.Failed:
		return status(exitRefused)
	}
	return nil
}
