package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/spf13/cobra"
	"mvdan.cc/sh/v3/syntax"

	"redline/agent"
	"redline/agent/plan"
	"redline/agent/state"
	"redline/agent/trial"
	"redline/internal/phrase"
	"redline/workspace"
)

func newPlansTry(s streams, f *workspaceFlags) *cobra.Command {
	var revision int
	var keep []string
	cmd := newPlanVerb(s, f, "try N", "Try commands on what a plan proposes, and keep nothing of it",
		func(ctx context.Context, a *agent.Agent, con *console, n int, words []string) error {
			r := trial.Request{Plan: n, Revision: revision}
			if len(words) > 0 {
				r.Commands = []string{shellLine(words)}
			}
			before, err := a.Board.PlanState(ctx, n)
			if err != nil {
				return err
			}
			if where := above(f.dir, con.ws); where != "" && !con.quiet {
				fmt.Fprintf(con.out, "Runs in %s, the workspace's folder; 'cd FOLDER && …' runs below it.\n", oneLine(where))
			}
			con.tries = true
			try := a.Trials.Try
			if len(keep) > 0 {
				try = func(ctx context.Context, r trial.Request) (string, error) { return a.Turns.TryKeeping(ctx, r, keep) }
			}
			turn, err := try(ctx, r)
			if err != nil {
				return err
			}
			tried, err := a.Conversations.Wait(ctx, turn)
			if err != nil {
				_ = a.Cancel(turn) // the trial may have ended already
				return errInterrupted
			}
			after, err := a.Board.PlanState(ctx, n)
			if err != nil {
				return err
			}
			if len(keep) > 0 && tried.Answer != nil && !con.quiet {
				con.answer(*tried.Answer)
			}
			if after.Revision != before.Revision && !con.quiet {
				fmt.Fprintf(con.out, "Plan %d has revision %d now: redline plans show %d.\n", n, after.Revision, n)
			}
			return cmp.Or(a.Conversations.Failure(turn), con.tellTried(newTrials(before.Trials, after.Trials)))
		})
	cmd.Use = "try N [--revision R] [--keep GLOB] [-- COMMAND…]"
	cmd.Args = naming("try N")
	cmd.Flags().IntVar(&revision, "revision", 0, "only if the plan is still at this `revision`")
	cmd.Flags().StringArrayVar(&keep, "keep", nil, "make a revision with what the command changes in these `files`, a glob such as go.sum or gen/**")
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		for _, glob := range keep {
			if !doublestar.ValidatePattern(glob) {
				return usage(fmt.Errorf("--keep %s is not a valid glob: write it like go.sum or gen/**/*.go", glob))
			}
		}
		return run(cmd, args)
	}
	return explained(cmd, `Runs a command on the files as the plan would leave them, isolated: it has no network,
what it writes is thrown away, and it decides nothing. Without a command, the plan's own
run, in order. Exit status 0 if all pass, 4 if not.

What a command that passes changes in the files that --keep names becomes part of the
plan, as a new revision; --keep can be given several times.

Commands are tried only where you have allowed it, see redline trials.`, `  redline plans try 1
  redline plans try 1 -- go test ./...
  redline plans try 1 --keep go.mod --keep go.sum -- go mod tidy
  redline plans try 1 -- 'make check | tail'`)
}

// above returns the folder of the workspace if dir is below it, "" if it is that folder.
func above(dir string, ws *workspace.Workspace) string {
	folders := ws.Folders()
	here, err := os.Stat(dir)
	if err != nil || len(folders) == 0 {
		return ""
	}
	if root, err := os.Stat(folders[0].Dir); err != nil || os.SameFile(here, root) {
		return ""
	}
	return folders[0].Dir
}

// shellLine quotes the words of a command as one line for the shell. It returns a single
// word unchanged, since that is a shell line already.
func shellLine(words []string) string {
	if len(words) == 1 {
		return words[0]
	}
	quoted := make([]string, len(words))
	for i, w := range words {
		var err error
		if quoted[i], err = syntax.Quote(w, syntax.LangPOSIX); err != nil { // of line ends and other control characters
			quoted[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(quoted, " ")
}

// newTrials returns the trials of after that before does not have.
func newTrials(before, after []state.Trial) []state.Trial {
	return slices.DeleteFunc(slices.Clone(after), func(t state.Trial) bool {
		return slices.ContainsFunc(before, func(old state.Trial) bool { return old.ID == t.ID })
	})
}

// tellTried prints the results of trials. The error is the exit status if one failed.
func (c *console) tellTried(trials []state.Trial) error {
	passed := len(trials) > 0
	for _, t := range trials {
		passed = passed && t.Verdict == string(plan.TrialPassed)
		if !c.quiet {
			fmt.Fprintln(c.out, triedLine(&t))
		}
	}
	if !passed {
		return status(exitRefused)
	}
	return nil
}

// triedLine describes a trial of a plan in one line.
func triedLine(t *state.Trial) string { return "tried    " + t.ID + " " + triedText(t) }

// untriedLine says in one line why nothing was tried on a plan.
func untriedLine(p *state.Plan) string { return "tried    nothing: " + oneLine(p.Untried) }

// triedText returns a tried command and its result.
func triedText(t *state.Trial) string {
	text := commandText(plan.CommandIn(t.Command, t.Cwd)) + ": " + t.Result
	if t.Problem != "" {
		text += because(t.Problem)
	}
	if !t.Current {
		text += " (of an earlier text)"
	}
	return text
}

func newTrialsCommand(s streams) *cobra.Command {
	f := &workspaceFlags{}
	verb := func(use, short string, run func(ctx context.Context, a *agent.Agent, con *console) error) *cobra.Command {
		return &cobra.Command{
			Use: use, Short: short, Args: noArgs,
			RunE: func(cmd *cobra.Command, _ []string) error {
				return f.with(s, func(a *agent.Agent, con *console) error { return run(cmd.Context(), a, con) })
			},
		}
	}
	return f.group(&cobra.Command{
		Use:   "trials",
		Short: "Allow or forbid trying commands in a workspace before you approve",
		Long: `A trial runs a command on the files as a plan would leave them, before you approve it:
isolated, without a network, and what it writes is thrown away. It runs code of the
repository, and the model writes the command, so you allow it once for each workspace.
With --json every verb prints {"allowed","reason"}.`,
		Example: `  redline trials status
  redline trials allow
  redline trials forbid`,
	},
		explained(verb("status", "Show whether commands may be tried here, and why not", trialsStatus),
			`Shows whether commands may be tried in this workspace, and if not, why: you have not
allowed it, your settings switch it off, or this system cannot keep a command apart from
everything else (redline doctor says what to do).`, `  redline trials status
  redline trials status --json`),
		explained(verb("allow", "Allow trials in this workspace", func(ctx context.Context, a *agent.Agent, con *console) error {
			if err := a.Trials.Allow(ctx); err != nil {
				return err
			}
			return trialsStatus(ctx, a, con)
		}), `Allows trials in this workspace from now on, by you and by models, as long as the
folder has the same owner. Prints what redline trials status prints.`, `  redline trials allow
  redline trials allow --dir ../shop`),
		explained(verb("forbid", "Forbid trials in this workspace", func(ctx context.Context, a *agent.Agent, con *console) error {
			if err := a.Trials.Forbid(ctx); err != nil {
				return err
			}
			return trialsStatus(ctx, a, con)
		}), `Forbids trials in this workspace, even after redline trials allow; Redline does not ask
again. While the setting trials.mode is "on" commands can still be tried.`, `  redline trials forbid`),
	)
}

// trialsStatus prints whether commands may be tried in the workspace.
func trialsStatus(ctx context.Context, a *agent.Agent, con *console) error {
	why := a.Trials.Allowed(ctx)
	if con.quiet {
		said := struct {
			Allowed bool   `json:"allowed"`
			Reason  string `json:"reason,omitempty"`
		}{Allowed: why == nil}
		if why != nil {
			said.Reason = why.Error()
		}
		return json.NewEncoder(con.out).Encode(said)
	}
	if why == nil {
		fmt.Fprintln(con.out, "Commands may be tried in this workspace: redline plans try N, and a model may try what it has staged.")
		return nil
	}
	fmt.Fprintf(con.out, "No command is tried here: %s.\n", phrase.TrimStop(why.Error()))
	return nil
}
