package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"redline/agent"
)

func newPlansRate(s streams, f *workspaceFlags) *cobra.Command {
	return explained(newPlanVerb(s, f, "rate N RATING", "Say what you think of a plan, from 1 (bad) to 5 (good)",
		func(ctx context.Context, a *agent.Agent, con *console, n int, args []string) error {
			rating := 0
			if len(args) == 1 && len(args[0]) == 1 && args[0] >= "1" && args[0] <= "5" {
				rating = int(args[0][0] - '0')
			}
			if rating == 0 {
				return usage(fmt.Errorf("a rating is a number from 1 to 5: redline plans rate %d 4", n))
			}
			p, err := a.Rate(ctx, n, rating)
			if err == nil && !con.quiet {
				fmt.Fprintf(con.out, "Plan %d is rated %d of 5; redline stats shows all ratings.\n", n, p.Rating)
			}
			return err
		}), `Keeps a rating with the plan; redline stats shows all of them. It is sent to nobody.`, `  redline plans rate 1 4`)
}
