package main

import (
	"context"

	"github.com/spf13/cobra"

	"redline/agent"
	"redline/edits"
)

func newPlansShow(s streams, f *planFlags) *cobra.Command {
	return newPlanVerb(s, f, "show N", "Show one plan",
		func(ctx context.Context, a *agent.Agent, con *console, n int, _ []string) error {
			p, err := a.PlanState(ctx, n, edits.UTF16)
			if err != nil || con.quiet {
				return err
			}
			con.show(&p)
			return nil
		})
}

func newPlansDiff(s streams, f *planFlags) *cobra.Command {
	return newPlanVerb(s, f, "diff N", "Print a plan as a unified diff",
		func(ctx context.Context, a *agent.Agent, con *console, n int, _ []string) error {
			if con.quiet {
				return nil
			}
			return con.diff(ctx, a, n)
		})
}
