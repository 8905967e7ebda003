package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"redline/agent"
	"redline/agent/plan"
	"redline/agent/state"
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
					p, stateErr := a.Board.PlanState(cmd.Context(), n)
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

func newPlansList(s streams, f *workspaceFlags) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the plans, newest first",
		Long: `Lists the plans of the workspace, newest first: number, state, revision, how many
files and lines, and the goal.`,
		Example: `  redline plans list
  redline plans list --json`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return f.with(s, func(a *agent.Agent, con *console) error {
				state, err := a.State(cmd.Context(), true)
				if err != nil {
					return err
				}
				slices.Reverse(state.Plans)
				if f.json {
					con.print(map[string]any{"plans": positions.Plans(state.Plans)})
					return nil
				}
				return listPlans(con, state.Plans)
			})
		},
	}
}

func listPlans(con *console, plans []state.Plan) error {
	if len(plans) == 0 {
		fmt.Fprintln(con.out, "There are no plans yet: redline run 'rename Total to Sum' makes one.")
		return nil
	}
	table := tabwriter.NewWriter(con.out, 0, 0, 2, ' ', 0)
	for _, p := range plans {
		fmt.Fprintf(table, "%d\t%s\trevision %d\t%s\t%s\n", p.Plan, words(p.State), p.Revision, summary(&p), listed(p.Goal))
	}
	return table.Flush()
}

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
