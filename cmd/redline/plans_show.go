package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"redline/agent"
	"redline/agent/plan"
	"redline/edits"
)

func newPlansShow(s streams, f *workspaceFlags) *cobra.Command {
	return explained(newPlanVerb(s, f, "show N", "Show one plan",
		func(ctx context.Context, a *agent.Agent, con *console, n int, _ []string) error {
			p, err := a.Board.PlanState(ctx, n)
			if err != nil || con.quiet {
				return err
			}
			diff, err := a.Diff(ctx, n)
			if err != nil {
				return err
			}
			con.pages = true
			con.show(&p, edits.Visible(diff), next(&p))
			noteShown(a, con, &p)
			return nil
		}), `Shows the goal, the state, the steps, the files with their hunks, the commands, the
revisions and the diff of a plan, and what can be done with it. At a terminal a long
plan is shown with $PAGER.`,
		`  redline plans show 1
  redline plans show 1 --json`)
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
	return explained(cmd, `Prints what a plan proposes, as a unified diff of the texts that it was made from; or,
with --revisions, how two of its revisions differ, also if the files have changed
between them.`, `  redline plans diff 1
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
