package main

import (
	"fmt"
	"slices"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"redline/agent"
	"redline/agent/state"
)

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
