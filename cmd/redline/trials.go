package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"redline/agent"
	"redline/internal/phrase"
)

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
		Short: "Say whether commands may be tried in a workspace before you approve",
		Long: `A trial runs a command on the files as a plan would leave them, before you approve it:
apart from everything else, without a network, and nothing of what it writes stays. It
runs code of the repository, and the model writes the command, so you allow it once for
each workspace. With --json every verb prints {"allowed","reason"}.`,
		Example: `  redline trials status
  redline trials allow
  redline trials forbid`,
	},
		explained(verb("status", "Say whether commands may be tried here, or why not", trialsStatus),
			`Says whether commands may be tried in this workspace. If not, it says why: you have not
allowed it, your settings switch it off, or this system cannot keep a command apart from
everything else (redline doctor says what to do).`, `  redline trials status
  redline trials status --json`),
		explained(verb("allow", "Let commands be tried in this workspace", func(ctx context.Context, a *agent.Agent, con *console) error {
			if err := a.AllowTrials(ctx); err != nil {
				return err
			}
			return trialsStatus(ctx, a, con)
		}), `Lets commands be tried in this workspace from now on, by you and by models, while
the folder has the same owner. Prints what redline trials status prints.`, `  redline trials allow
  redline trials allow --dir ../shop`),
		explained(verb("forbid", "Let no command be tried in this workspace", func(ctx context.Context, a *agent.Agent, con *console) error {
			if err := a.ForbidTrials(ctx); err != nil {
				return err
			}
			return trialsStatus(ctx, a, con)
		}), `Lets no command be tried in this workspace, also if redline trials allow has allowed it;
nobody asks you again. While the setting trials.mode is "on" commands can still be tried.`, `  redline trials forbid`),
	)
}

// trialsStatus prints whether commands may be tried in the workspace.
func trialsStatus(ctx context.Context, a *agent.Agent, con *console) error {
	why := a.TrialsAllowed(ctx)
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
