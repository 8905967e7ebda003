package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"redline/agent"
	"redline/agent/decide"
	"redline/internal/phrase"
)

func newPlansPrune(s streams, f *workspaceFlags) *cobra.Command {
	var days int
	var mb int64
	var o decide.Prune
	cmd := &cobra.Command{
		Use:   "prune",
		Short: "Remove old plans that are decided",
		Long: `Removes decided plans of the workspace that are older than the limit, and the oldest
of them while the database is over its size. Open and unsettled plans stay.
docs/records.md has the rules; a server does the same by itself once a day, for all
workspaces.`,
		Example: "  redline plans prune --days 30 --dry-run",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if days < 0 || days > maxDays || mb < 0 {
				return usage(errors.New("--days must be a number of days (0: for ever), and --keep-mb a number of MiB (0: no limit)"))
			}
			set, ws, err := f.open(s)
			if err != nil {
				return err
			}
			o.Keep = decide.Keep{Days: set.settings.KeepDays, MB: int64(set.settings.KeepMB)}
			if cmd.Flags().Changed("days") {
				o.Days = days
			}
			if cmd.Flags().Changed("keep-mb") {
				o.MB = mb
			}
			o.Days, o.MB = set.settings.KeptAtLeast(o.Days, o.MB)
			return f.on(set, ws, s, func(a *agent.Agent, con *console) error {
				pruned, err := a.Prune(cmd.Context(), o)
				if err != nil {
					return err
				}
				if f.json {
					con.print(pruned)
				} else {
					tellPruned(con, pruned)
				}
				return nil
			})
		},
	}
	flags := cmd.Flags()
	flags.IntVar(&days, "days", 0, "keep decided plans for so many `days`, 0 for ever (default: the setting limits.keep_days)")
	flags.Int64Var(&mb, "keep-mb", 0, "the `MiB` that the database may hold, 0 for no limit (default: the setting limits.keep_mb)")
	flags.BoolVar(&o.All, "all", false, "the plans of every workspace")
	flags.BoolVar(&o.Dry, "dry-run", false, "only list what would be removed")
	return cmd
}

// tellPruned prints what was removed.
func tellPruned(c *console, p decide.Pruned) {
	for _, one := range p.Removed {
		day := one.Updated
		if at, err := time.Parse(time.RFC3339, day); err == nil {
			day = at.Format(time.DateOnly)
		}
		fmt.Fprintf(c.out, "%s  plan %d, last changed %s: %s\n", oneLine(one.Workspace), one.Plan, day, listed(one.Goal))
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
		fmt.Fprintln(c.out, "That is still over the limit, but the other plans are open, unsettled or among the newest: decide on the open ones, or raise the limit.")
	}
}

// size formats a number of bytes for people.
func size(bytes int64) string {
	if bytes < 1<<20 {
		return fmt.Sprintf("%.1f KiB", float64(bytes)/(1<<10))
	}
	return fmt.Sprintf("%.1f MiB", float64(bytes)/(1<<20))
}
