package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"redline/agent"
)

func newPlans(s streams) *cobra.Command {
	f := &workspaceFlags{}
	return f.group(&cobra.Command{
		Use:   "plans",
		Short: "Look at and decide on the plans of a workspace",
		Long: `The plans of a workspace, made here or in an editor. A decision in one place
holds in all of them. With --json every verb but export and prune prints the
plan as docs/reference/state.md describes it, and list prints {"plans":[…]}.`,
		Example: `  redline plans list
  redline plans approve 1 --hunk h2
  redline plans reject 1 --reason 'keep the old name'`,
	},
		newPlansList(s, f), newPlansShow(s, f), newPlansDiff(s, f), newPlansApprove(s, f),
		newPlansTry(s, f), newPlansReject(s, f), newPlansRework(s, f), newPlansUndo(s, f), newPlansStage(s, f), newPlansRollback(s, f),
		newPlansExport(s, f), newPlansImport(s, f), newPlansRate(s, f), newPlansPrune(s, f),
	)
}

// planVerb runs one verb on a plan. With --json it then prints the plan.
type planVerb func(ctx context.Context, a *agent.Agent, con *console, n int, args []string) error

// newPlanVerb returns a command for a verb that takes a plan number.
func newPlanVerb(s streams, f *workspaceFlags, use, short string, verb planVerb) *cobra.Command {
	wanted := len(strings.Fields(use)) - 1 // the first word of the usage is the verb itself
	return &cobra.Command{
		Use:   use,
		Short: short,
		Args: func(_ *cobra.Command, given []string) error {
			switch {
			case len(given) == 0:
				return usage(fmt.Errorf("say which plan: redline plans %s (redline plans list shows the numbers)", use))
			case len(given) < wanted, len(given) > 1 && wanted == 1:
				return usage(fmt.Errorf("the usage is redline plans %s", use))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			n, err := planNumber(args[0])
			if err != nil {
				return err
			}
			return f.with(s, func(a *agent.Agent, con *console) error {
				err := verb(cmd.Context(), a, con, n, args[1:])
				var said status
				if f.json && (err == nil || errors.As(err, &said)) {
					p, stateErr := a.PlanState(cmd.Context(), n)
					if stateErr != nil {
						return stateErr
					}
					con.print(positions.Plan(&p))
				}
				return err
			})
		},
	}
}

// explained sets the long help and the examples of a command.
func explained(cmd *cobra.Command, long, example string) *cobra.Command {
	cmd.Long, cmd.Example = long, example
	return cmd
}

// planNumber parses a plan number.
func planNumber(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return 0, usage(fmt.Errorf("%q is not a plan's number: redline plans list shows them", text))
	}
	return n, nil
}
