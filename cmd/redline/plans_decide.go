package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"redline/agent"
	"redline/agent/plan"
	"redline/agent/view"
)

// scopeFlags select the part of a plan to decide on.
type scopeFlags struct {
	files, hunks []string
	operation    string
	skipStale    bool
	commands     allowance
	hash, reason string
}

// allowance is the value of --allow-commands: whether the commands of an approved plan
// run. Without the flag, only commands that the user's rules allow run.
type allowance struct{ all, none bool }

// define adds the flag to flags.
func (c *allowance) define(flags *pflag.FlagSet) {
	flags.Var(c, "allow-commands", "run the commands too; with an explicit false none runs, not even those that your rules allow")
	flags.Lookup("allow-commands").NoOptDefVal = "true"
}

// Set parses the value of the flag.
func (c *allowance) Set(text string) error {
	yes, err := strconv.ParseBool(text)
	c.all, c.none = yes, !yes
	return err
}

func (c *allowance) String() string { return strconv.FormatBool(c.all) }

// Type returns the type of the value for the help text.
func (c *allowance) Type() string { return "bool" }

// decide returns the decision that the flags select. It refuses an empty scope, which
// would mean the whole plan.
func (f *scopeFlags) decide(n int) (view.Request, error) {
	d := view.Request{
		Plan: n, Hash: f.hash, Hunks: f.hunks, Operation: f.operation, SkipStale: f.skipStale,
		AllowCommands: f.commands.all, NoCommands: f.commands.none, Reason: f.reason, Client: clientName,
		Way: view.ByCommandLine,
	}
	switch {
	case len(f.files) > 0 && len(f.hunks) > 0:
		return d, usage(fmt.Errorf("give --file or --hunk, not both"))
	case f.operation != "" && len(f.files)+len(f.hunks) > 0:
		return d, usage(fmt.Errorf("give only one of --operation, --file and --hunk"))
	case slices.Contains(f.files, ""), slices.Contains(f.hunks, ""):
		return d, usage(fmt.Errorf("--file and --hunk need a name: leave them out to mean the whole plan"))
	}
	for _, name := range f.files {
		d.Paths = append(d.Paths, path.Clean(filepath.ToSlash(name)))
	}
	return d, nil
}

func (f *scopeFlags) defineOperation(flags *pflag.FlagSet) {
	flags.StringVar(&f.operation, "operation", "", "only the operation with this `id`, such as o2; if it is a command, it runs")
}

// verb returns a command that decides on what the flags select, with the flags for files and hunks.
func (f *scopeFlags) verb(s streams, w *workspaceFlags, use, short string, decide func(context.Context, *agent.Agent, *console, view.Request) error) *cobra.Command {
	cmd := newPlanVerb(s, w, use, short, func(ctx context.Context, a *agent.Agent, con *console, n int, _ []string) error {
		d, err := f.decide(n)
		if err != nil {
			return err
		}
		return decide(ctx, a, con, d)
	})
	cmd.Flags().StringArrayVar(&f.files, "file", nil, "only the file with this `path` (repeatable)")
	cmd.Flags().StringArrayVar(&f.hunks, "hunk", nil, "only the hunk with this `id`, such as h2 (repeatable)")
	return cmd
}

func newPlansApprove(s streams, f *workspaceFlags) *cobra.Command {
	scope := &scopeFlags{}
	cmd := scope.verb(s, f, "approve N", "Approve a plan, or the named part of it",
		func(ctx context.Context, a *agent.Agent, con *console, d view.Request) error {
			p, err := a.Board.PlanState(ctx, d.Plan)
			if err != nil {
				return err
			}
			d, yes, err := confirmApproval(ctx, a, con, d, &p)
			if err != nil || !yes {
				return cmp.Or(err, error(status(exitWaiting)))
			}
			r, err := approvePlan(ctx, a, con, d)
			if err != nil {
				return err
			}
			if r.InWords() {
				return workedOut(ctx, a, con, d.Plan, r.Turn)
			}
			if p, err = a.Board.PlanState(ctx, d.Plan); err != nil {
				return err
			}
			if !con.quiet {
				tellFiles(con, &p, r.Result)
				printReport(con, r.report)
			}
			if r.failed != nil && !con.quiet {
				return r.failed
			}
			if _, ok := errors.AsType[commandError](r.failed); ok { // the rest may wait
				return status(exitCommand)
			}
			return waiting(&p)
		})
	flags := cmd.Flags()
	scope.defineOperation(flags)
	flags.BoolVar(&scope.skipStale, "skip-stale", false, "leave out the hunks whose text was changed")
	scope.commands.define(flags)
	flags.StringVar(&scope.hash, "hash", "", "approve only if the plan still has this `hash`")
	return explained(cmd, `Prints what has changed in the plan since it was shown here, all of it if it was not;
applies it and prints the result for each file. If a text that it changes is no longer
what was shown, it refuses and changes nothing (exit status 4).
Without a scope it approves the whole plan. The commands of a plan run only with
--allow-commands, with --operation, or by rules of your own (docs/running.md); with an
explicit false none runs. Exit status 3 says that a part of the plan still waits, and
6 that a command failed: the edits stay applied.`, `  redline plans approve 1
  redline plans approve 1 --file shop/prices.go
  redline plans approve 1 --hunk h2 --hunk h3
  redline plans approve 1 --allow-commands`)
}

func newPlansReject(s streams, f *workspaceFlags) *cobra.Command {
	scope := &scopeFlags{}
	cmd := scope.verb(s, f, "reject N", "Reject a plan, or the named part of it",
		func(ctx context.Context, a *agent.Agent, con *console, d view.Request) error {
			p, err := a.Reject(ctx, d)
			if err != nil {
				return err
			}
			if !con.quiet {
				tellState(con, &p)
			}
			return nil
		})
	flags := cmd.Flags()
	scope.defineOperation(flags)
	flags.StringVar(&scope.hash, "hash", "", "reject only if the plan still has this `hash`")
	flags.StringVar(&scope.reason, "reason", "", "the reason, a `text` that the model reads if the plan is reworked")
	return explained(cmd, `Turns a plan down, or a part of it. Nothing in the workspace changes; what was
applied before stays, and redline plans undo takes it back.`, `  redline plans reject 1 --reason 'keep the old name'
  redline plans reject 1 --hunk h2`)
}

func newPlansUndo(s streams, f *workspaceFlags) *cobra.Command {
	scope := &scopeFlags{}
	cmd := scope.verb(s, f, "undo N", "Take back what was applied of a plan, or of the named part of it",
		func(ctx context.Context, a *agent.Agent, con *console, d view.Request) error {
			r, err := a.Undo(context.WithoutCancel(ctx), d) // as in approvePlan
			if err != nil {
				return err
			}
			p, err := a.Board.PlanState(ctx, d.Plan)
			if err != nil {
				return err
			}
			if !con.quiet {
				fmt.Fprintf(con.out, "Taken back from plan %d:\n", d.Plan)
				tellFiles(con, &p, r)
			}
			return nil
		})
	flags := cmd.Flags()
	flags.BoolVar(&scope.skipStale, "skip-stale", false, "leave out the hunks whose new lines were changed since")
	return explained(cmd, `Takes back what was applied of a plan, and leaves what was typed since. A hunk whose
new lines were changed is refused, unless --skip-stale leaves it out.`, `  redline plans undo 1
  redline plans undo 1 --file shop/prices.go`)
}

func newPlansRework(s streams, f *workspaceFlags) *cobra.Command {
	cmd := newPlanVerb(s, f, "rework N", "Ask for a new revision of a plan", rework)
	cmd.Use = "rework N [TEXT]"
	cmd.Args = naming("rework N [TEXT]")
	return explained(cmd, `Sends your feedback to the model, waits for the next revision of the plan and prints
it. Without a text, the feedback is what failed: a command of the approved plan, or
else the last failed trial, or else the errors that language servers report. Comments
that are open go with it, or are the feedback if there is nothing of these. Exit
status 3: the revision waits for you.`, `  redline plans rework 1 'keep Total as a deprecated alias'
  redline plans try 1 || redline plans rework 1`)
}

func rework(ctx context.Context, a *agent.Agent, con *console, n int, text []string) error {
	var id string
	var err error
	if feedback := strings.Join(text, " "); len(text) > 0 {
		id, _, err = a.Turns.Rework(ctx, n, feedback, clientName)
	} else {
		id, _, err = a.Turns.Mend(ctx, n, "", "", clientName)
	}
	if err != nil {
		return err
	}
	turn, err := await(ctx, a, id)
	if err != nil {
		return err
	}
	if turn.Answer != nil && !con.quiet {
		con.answer(*turn.Answer)
	}
	if err := a.Conversations.Failure(id); err != nil {
		return err
	}
	if err := a.Keep(ctx); err != nil { // a revision that was not stored is lost when this process ends
		return err
	}
	p, err := a.Board.PlanState(ctx, n)
	if err != nil {
		return err
	}
	if !con.quiet {
		if err := showRevision(ctx, a, con, &p, ""); err != nil {
			return err
		}
	}
	if plan.State(p.State).Open() {
		if !con.quiet {
			con.tellLater(true, n)
		}
		return status(exitWaiting)
	}
	if len(turn.Unfinished) > 0 {
		return status(exitRefused)
	}
	return nil
}
