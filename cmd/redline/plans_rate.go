package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"redline/agent"
	"redline/agent/plan"
)

func newPlansRate(s streams, f *workspaceFlags) *cobra.Command {
	return explained(newPlanVerb(s, f, "rate N RATING", "Say what you think of a plan: good, bad, or a number from 1 to 5",
		func(ctx context.Context, a *agent.Agent, con *console, n int, args []string) error {
			rating, ok := 0, false
			if len(args) == 1 {
				rating, ok = plan.ParseRating(args[0])
			}
			if !ok {
				return usage(fmt.Errorf("a rating is good, bad, or a number from 1 to 5: redline plans rate %d 4", n))
			}
			p, err := a.Rate(ctx, n, rating)
			if err == nil && !con.quiet {
				fmt.Fprintf(con.out, "Plan %d is rated %d of 5; redline stats shows all ratings.\n", n, p.Rating)
			}
			return err
		}), `Keeps a rating with the plan: bad is 1 and good is 5. redline stats shows all
ratings. They stay on this machine.`, `  redline plans rate 1 4
  redline plans rate 1 good`)
}
