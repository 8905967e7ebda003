package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"redline/agent/board"
	"redline/agent/state"
	"redline/edits"
	"redline/internal/phrase"
	"redline/workspace/gitremote"
)

// remotePlan is a plan of a remote, for --json.
type remotePlan struct {
	ID     string `json:"id"`
	Plan   int    `json:"plan,omitzero"` // its number here, 0 for none
	Goal   string `json:"goal,omitzero"`
	News   string `json:"news"` // new, changed or same
	Commit string `json:"commit"`
}

// list prints the plans of the remote. It gets none of them.
func (sh *sharing) list(ctx context.Context) error {
	all, others, err := sh.remote.List(ctx)
	if err != nil {
		return err
	}
	st, err := sh.agent.State(ctx, true)
	if err != nil {
		return err
	}
	here := map[string]*state.Plan{}
	for i := range st.Plans {
		here[st.Plans[i].ID] = &st.Plans[i]
	}
	had := sh.notes.read().Had
	rows := []remotePlan{}
	for _, one := range all {
		row := remotePlan{ID: one.ID, News: "new", Commit: one.Object}
		if p := here[one.ID]; p != nil {
			row.Plan, row.Goal, row.News = p.Plan, p.Goal, "changed"
			if had[sh.notes.key(one.ID)] == one.Object {
				row.News = "same"
			}
		}
		rows = append(rows, row)
	}
	if sh.con.quiet {
		sh.con.print(map[string]any{"remote": sh.remote.Name(), "address": sh.remote.Address(), "plans": rows})
		return nil
	}
	name := edits.VisibleLine(sh.remote.Name())
	table := newTable(sh.con.out)
	for _, row := range rows {
		switch {
		case row.Plan == 0:
			fmt.Fprintf(table, "%s\tnew\tredline plans pull %s %s\n", short12(row.ID), name, short12(row.ID))
		case row.News == "changed":
			fmt.Fprintf(table, "%s\tplan %d, may have changed\t%s\n", short12(row.ID), row.Plan, listed(row.Goal))
		default:
			fmt.Fprintf(table, "%s\tplan %d\t%s\n", short12(row.ID), row.Plan, listed(row.Goal))
		}
	}
	if len(rows) == 0 {
		fmt.Fprintf(folding(sh.con.out), "%s has no plans: redline plans push N shares one.\n", name)
	}
	if others > 0 {
		fmt.Fprintf(table, "%s that name no plan\n", phrase.Count(others, "further ref"))
	}
	return table.Flush()
}

func newPlansRemove(s streams, f *workspaceFlags) *cobra.Command {
	var remote, yes bool
	cmd := &cobra.Command{
		Use:   "rm N --remote [REMOTE]",
		Short: "Remove a shared plan from a Git remote",
		Long: `Removes the plan from the Git repository that REMOTE names, by default origin. N is its
number here, or its id. It stays here, and with everybody who pulled it. A server
may keep what was pushed for a while: change a secret that has left. With --json it
prints id, remote and removed.`,
		Example: `  redline plans rm 1 --remote
  redline plans rm 1 --remote upstream --yes`,
		ValidArgsFunction: completesFirst(planNumbers),
		Args:              between(1, 2, "rm N --remote [REMOTE]"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !remote {
				return usage(fmt.Errorf("say where: redline plans rm %s --remote removes it from the Git remote; here, redline plans reject closes a plan and redline plans prune removes old ones", args[0]))
			}
			return f.withRemote(cmd.Context(), s, slices.Concat(args[1:], []string{""})[0], func(sh *sharing) error {
				return sh.remove(cmd.Context(), args[0], yes)
			})
		},
	}
	cmd.Flags().BoolVar(&remote, "remote", false, "at a Git remote, where it was pushed to")
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	return cmd
}

// remove removes a plan from the remote.
func (sh *sharing) remove(ctx context.Context, which string, yes bool) error {
	id := which
	if n, err := strconv.Atoi(which); err == nil && len(which) < idLength {
		p, err := sh.agent.Board.PlanState(ctx, n)
		if err != nil {
			return board.NoSuchPlan(n, err)
		}
		id = p.ID
	}
	name := edits.VisibleLine(sh.remote.Name())
	if !yes {
		if !sh.con.asks() {
			return usage(fmt.Errorf("others lose the plan at %s too: add --yes", sh.remote.PushAddress()))
		}
		agreed, err := sh.con.confirm(ctx, fmt.Sprintf("Remove plan %s from %s", edits.VisibleLine(which), edits.VisibleLine(sh.remote.PushAddress())))
		if err != nil || !agreed {
			return errors.Join(err, status(exitRefused))
		}
	}
	err := sh.remote.Remove(ctx, id)
	if errors.Is(err, gitremote.ErrMissing) {
		return fmt.Errorf("%s has no plan %s: redline plans list --remote %s shows those it has", sh.remote.Name(), short12(id), sh.remote.Name())
	}
	if err != nil {
		return err
	}
	sh.notes.note(func(all *sharedFile) { delete(all.Had, sh.notes.key(id)) })
	if !sh.con.quiet {
		fmt.Fprintf(sh.con.out, "Plan %s is no longer at %s.\n", edits.VisibleLine(which), name)
		return nil
	}
	sh.con.print(map[string]any{"id": id, "remote": sh.remote.Name(), "removed": true})
	return nil
}
