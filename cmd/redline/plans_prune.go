package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"redline/agent"
	"redline/agent/retention"
	"redline/edits"
	"redline/internal/phrase"
)

func newPlansPrune(s streams, f *workspaceFlags) *cobra.Command {
	var days int
	var mb int64
	var o retention.Prune
	cmd := &cobra.Command{
		Use:   "prune",
		Short: "Remove decided plans that need not be kept any more",
		Long: `Removes plans of the workspace that are decided and older than they are kept, and
the oldest of them while the database is larger than it may be. Open plans, and
what is not settled, stay. docs/records.md has the rules; a server does the same
by itself once a day, for all workspaces.`,
		Example: "  redline plans prune --days 30 --dry-run",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if days < 0 || days > maxDays || mb < 0 {
				return usage(errors.New("--days is a number of days and --keep-mb one of MiB; 0 is for ever, and no bound"))
			}
			set, ws, err := f.open(s)
			if err != nil {
				return err
			}
			o.Keep = retention.Keep{Days: set.settings.KeepDays, MB: int64(set.settings.KeepMB)}
			if cmd.Flags().Changed("days") {
				o.Days = days
			}
			if cmd.Flags().Changed("keep-mb") {
				o.MB = mb
			}
			return f.on(set, ws, s, func(a *agent.Agent, con *console) error {
				pruned, err := a.Prune(cmd.Context(), o)
				if err != nil {
					return err
				}
				if f.json {
					con.print(pruned)
				} else {
					con.tellPruned(pruned)
				}
				return nil
			})
		},
	}
	flags := cmd.Flags()
	flags.IntVar(&days, "days", 0, "keep decided plans for so many `days`, 0 for ever (default: the setting limits.keep_days)")
	flags.Int64Var(&mb, "keep-mb", 0, "the `MiB` that the database may hold, 0 for no bound (default: the setting limits.keep_mb)")
	flags.BoolVar(&o.All, "all", false, "the plans of every workspace")
	flags.BoolVar(&o.Dry, "dry-run", false, "only tell what would be removed")
	return cmd
}

// tellPruned prints what was removed.
func (c *console) tellPruned(p retention.Pruned) {
	for _, one := range p.Removed {
		day := one.Updated
		if at, err := time.Parse(time.RFC3339, day); err == nil {
			day = at.Format(time.DateOnly)
		}
		fmt.Fprintf(c.out, "%s  plan %d, last changed %s: %s\n", oneLine(one.Workspace), one.Plan, day, edits.Visible(one.Goal))
	}
	verb := "Removed"
	if p.DryRun {
		verb = "Would remove"
	}
	fmt.Fprintf(c.out, "%s %s (%s)", verb, phrase.Count(len(p.Removed), "plan"), size(p.Freed))
	if p.Records > 0 {
		fmt.Fprintf(c.out, ", %s of the audit log", phrase.Count(p.Records, "record"))
	}
	if len(p.Previews) > 0 {
		fmt.Fprintf(c.out, " and %s", phrase.Count(len(p.Previews), "preview"))
	}
	fmt.Fprintf(c.out, "; the database takes %s.\n", size(p.Size))
	if p.TooLarge {
		fmt.Fprintln(c.out, "That is more than it may hold, but the rest is open, not settled or among the newest: decide on open plans, or keep more.")
	}
}

// size returns a number of bytes for people.
func size(bytes int64) string {
	if bytes < 1<<20 {
		return fmt.Sprintf("%.1f KiB", float64(bytes)/(1<<10))
	}
	return fmt.Sprintf("%.1f MiB", float64(bytes)/(1<<20))
}
