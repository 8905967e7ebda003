package main

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"redline/agent"
	"redline/agent/plan"
	"redline/agent/state"
	"redline/agent/view"
	"redline/edits"
)

// workedOut waits for the turn that works out an approved plan in words, and prints the
// result. The exit status is that of the plan.
func workedOut(ctx context.Context, a *agent.Agent, con *console, n int, turn string) error {
	t, err := await(ctx, a, turn)
	if err != nil {
		return err
	}
	p, err := a.PlanState(ctx, n)
	if err != nil {
		return err
	}
	if text := besides(t.Answer, &p); text != "" && !con.quiet {
		fmt.Fprintln(con.out, edits.Visible(text)+"\n")
	}
	if err := con.showRevision(ctx, a, &p); err != nil {
		return err
	}
	if err := a.Failure(turn); err != nil {
		return err
	}
	return waiting(&p)
}

// besides returns the part of an answer that is not printed with the plan.
func besides(answer *string, p *state.Plan) string {
	if answer == nil {
		return ""
	}
	text := strings.TrimPrefix(*answer, p.Description)
	if p.Drift != nil {
		text = strings.Replace(text, p.Drift.String(), "", 1)
	}
	return strings.TrimSpace(text)
}

// workOutAndDecide approves a plan in words, waits for its edits, and carries out the
// user's decision on them. If f approves them without asking, only commands that f allows
// run, since the plan in words showed none.
func workOutAndDecide(ctx context.Context, a *agent.Agent, con *console, f runFlags, d view.Request, result *runResult) error {
	r, err := a.Approve(ctx, d)
	if err != nil {
		return err
	}
	t, err := await(ctx, a, r.Turn)
	if err != nil {
		return err
	}
	result.heard(t)
	p, err := a.PlanState(ctx, d.Plan)
	if err != nil {
		return err
	}
	result.Plan = &p
	result.leftIn(&p)
	if !f.json {
		fmt.Fprintln(con.out)
		if err := con.tell(ctx, a, result); err != nil {
			return err
		}
	}
	if err := a.Failure(r.Turn); err != nil {
		return err
	}
	if p.TextOnly || plan.State(p.State) != plan.AwaitingApproval { // no edits, or a rule has approved them
		undone := con.unfinished(result, f.approve, exitWaiting)
		return cmp.Or(waiting(&p), undone)
	}
	if f.approve && !f.commands.all {
		f.commands.none = true
	}
	return decideOnRun(ctx, a, con, &f, result)
}
