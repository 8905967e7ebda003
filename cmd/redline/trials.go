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
