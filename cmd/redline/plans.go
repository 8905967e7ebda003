package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"redline/agent"
	"redline/agent/decide"
	"redline/agent/plan"
	"redline/agent/state"
	"redline/edits"
	"redline/internal/phrase"
)

func newPlans(s streams) *cobra.Command {
	f := &workspaceFlags{}
	return f.group(&cobra.Command{
		Use:   "plans",
		Short: "Look at and decide on the plans of a workspace",
		Long: `The plans of a workspace, made here or in an editor. A decision in one place
holds in all of them. With --json every verb but export, prune, push and rm prints
the plan as docs/reference/state.md describes it, and list and pull {"plans":[…]}.`,
		Example: `  redline plans list
  redline plans approve 1 --hunk h2
  redline plans reject 1 --reason 'keep the old name'`,
	},
		newPlansList(s, f), newPlansShow(s, f), newPlansDiff(s, f), newPlansApprove(s, f),
		newPlansTry(s, f), newPlansReject(s, f), newPlansRework(s, f), newPlansUndo(s, f), newPlansStage(s, f), newPlansRollback(s, f),
		newPlansExport(s, f), newPlansImport(s, f), newPlansRate(s, f), newPlansPrune(s, f),
		newPlansPush(s, f), newPlansPull(s, f), newPlansRemove(s, f),
	)
}

// planVerb runs one verb on a plan. With --json it then prints the plan.
type planVerb func(ctx context.Context, a *agent.Agent, con *console, n int, args []string) error

// newPlanVerb returns a command for a verb that takes a plan number.
func newPlanVerb(s streams, f *workspaceFlags, use, short string, verb planVerb) *cobra.Command {
	wanted := len(strings.Fields(use)) - 1 // the first word of the usage is the verb itself
	return &cobra.Command{
		Use:               use,
		Short:             short,
		ValidArgsFunction: completesFirst(planNumbers),
		Args: func(_ *cobra.Command, given []string) error {
			if len(given) > 0 && (len(given) < wanted || len(given) > 1 && wanted == 1) {
				return usage(fmt.Errorf("the usage is redline plans %s", use))
			}
			return naming(use)(nil, given)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			n, err := planNumber(args[0])
			if err != nil {
				return err
			}
			return f.with(s, func(a *agent.Agent, con *console) error {
				err := verb(cmd.Context(), a, con, n, args[1:])
				if f.json && (err == nil || errors.As(err, new(status))) {
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

// naming refuses a verb without the number of a plan.
func naming(use string) cobra.PositionalArgs {
	return func(_ *cobra.Command, given []string) error {
		if len(given) == 0 {
			return usage(fmt.Errorf("say which plan: redline plans %s (redline plans list shows the numbers)", use))
		}
		return nil
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
	var remote bool
	cmd := &cobra.Command{
		Use:   "list [--remote [REMOTE]]",
		Short: "List the plans, newest first",
		Long: `Lists the plans of the workspace, newest first: number, state, revision, how many
files and lines, and the goal. With --remote it lists those that are shared through a
Git remote instead, by default origin.`,
		Example: `  redline plans list
  redline plans list --remote
  redline plans list --json`,
		Args: between(0, 1, "list [--remote [REMOTE]]"),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case remote:
				return f.withRemote(cmd.Context(), s, slices.Concat(args, []string{""})[0], func(sh *sharing) error { return sh.list(cmd.Context()) })
			case len(args) > 0:
				return noArgs(cmd, args)
			}
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
	cmd.Flags().BoolVar(&remote, "remote", false, "list those at a Git remote")
	return cmd
}

func listPlans(con *console, plans []state.Plan) error {
	if len(plans) == 0 {
		fmt.Fprintln(folding(con.out), "There are no plans yet: redline run 'rename Total to Sum' makes one.")
		return nil
	}
	table := newTable(con.out)
	for _, p := range plans {
		fmt.Fprintf(table, "%d\t%s\trevision %d\t%s\t%s\n", p.Plan, words(p.State), p.Revision, summary(&p), listed(p.Goal)+sharedIn(&p))
	}
	return table.Flush()
}

// sharedIn says after a plan's goal who shared it, and what is new.
func sharedIn(p *state.Plan) string {
	if p.Shared == nil {
		return ""
	}
	said := "shared"
	if p.Shared.By != "" {
		said += " by " + plan.Person(p.Shared.By)
	}
	if news := p.Shared.New(); news != "" {
		said += ", " + news
	}
	return " (" + oneLine(said) + ")"
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

func newPlansShow(s streams, f *workspaceFlags) *cobra.Command {
	var page string
	var outputs bool
	cmd := newPlanVerb(s, f, "show N", "Show one plan",
		func(ctx context.Context, a *agent.Agent, con *console, n int, _ []string) error {
			if page != "" {
				return writePage(ctx, a, con, n, page, outputs)
			}
			if outputs {
				return usage(errors.New("--with-output is for --html: redline plans show N prints what commands have printed"))
			}
			p, err := a.Board.PlanState(ctx, n)
			if err != nil {
				return err
			}
			con.pages = true
			return showRevision(ctx, a, con, &p, next(&p))
		})
	cmd.Flags().StringVar(&page, "html", "", "write the page of redline review, to be read only, into this `file`")
	cmd.Flags().BoolVar(&outputs, "with-output", false, "write into the page of --html what commands and trials have printed")
	return explained(cmd, `Shows the goal, the state, the steps, the files with their hunks, the commands, the
revisions and the diff of a plan, and what can be done with it. At a terminal a long
plan is shown with $PAGER. With --html it writes a page for a browser instead: one
file without any links, which has the texts of the plan and its comments. Give it only
to those who may see these. What commands and trials have printed is in it only with
--with-output, and without the lines that may hold secrets.`,
		`  redline plans show 1
  redline plans show 1 --json
  redline plans show 1 --html plan.html`)
}

func newPlansDiff(s streams, f *workspaceFlags) *cobra.Command {
	var revisions string
	cmd := newPlanVerb(s, f, "diff N", "Print a plan as a unified diff, or how two of its revisions differ",
		func(ctx context.Context, a *agent.Agent, con *console, n int, _ []string) error {
			if revisions == "" {
				if con.quiet {
					return nil
				}
				con.pages = true
				return showDiff(ctx, a, con, n)
			}
			from, to, ok := twoRevisions(revisions)
			if !ok {
				return usage(fmt.Errorf("%q is not two revisions: give --revisions 1..2", revisions))
			}
			c, err := a.Compare(ctx, n, from, to)
			if err == nil && !con.quiet {
				w := &pageOf{to: con.out}
				w.comparison(&c)
				con.paged(w.String())
			}
			return err
		})
	cmd.Flags().StringVar(&revisions, "revisions", "", "how two revisions differ, as `A..B`: what B proposes that A does not")
	return explained(cmd, `Prints what a plan proposes, as a unified diff of the texts that it was made from, which
git apply takes; or, with --revisions, how two of its revisions differ, also if the files
have changed between them.`, `  redline plans diff 1
  redline plans diff 1 --revisions 1..2`)
}

// twoRevisions parses two revisions to compare: "1..2".
func twoRevisions(s string) (from, to int, ok bool) {
	first, second, ok := strings.Cut(s, "..")
	from, err1 := strconv.Atoi(first)
	to, err2 := strconv.Atoi(second)
	return from, to, ok && err1 == nil && err2 == nil && from > 0 && to > 0
}

// comparison writes how two revisions differ: the changed operations, and a unified
// diff of the resulting texts.
func (w *pageOf) comparison(d *plan.Comparison) {
	if d.Same() {
		fmt.Fprintf(w, "Revisions %d and %d of plan %d propose the same.\n", d.From, d.To, d.Plan)
		return
	}
	for _, row := range d.Operations {
		fmt.Fprintln(w, edits.Visible(row))
	}
	for _, f := range d.Files {
		if len(f.NoPlace) > 0 {
			fmt.Fprintf(w, "%s: %s of revision %d has no place in the text that revision %d starts from\n",
				oneLine(f.Path), strings.Join(f.NoPlace, ", "), d.From, d.To)
		}
		w.WriteString(colours(w.to, edits.Visible(f.Diff)))
	}
}

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
