package main

import (
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"redline/acp"
	"redline/agent"
	"redline/agent/state"
	"redline/workspace"
)

func newACP(s streams) *cobra.Command {
	return &cobra.Command{
		Use:   "acp",
		Short: "Run as the agent of an editor that speaks ACP, on stdin and stdout",
		Long: `What an editor with an agent panel starts: speaks the Agent Client Protocol, version 1,
on stdin and stdout until the editor ends it. A plan made there is the same plan in
your other editors and on the command line. Settings come from your own file
(redline doctor --config); the log goes to stderr, as much of it as REDLINE_LOG says.`,
		Example: `  redline acp
  REDLINE_LOG=debug redline acp 2> redline.log`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			set, err := newSetupAnyway(nil)
			if err != nil {
				return err
			}
			defer set.store.Close()
			set.warn(s)
			set.log = newLog(set.settings.LogLevel)
			signal.Ignore(syscall.SIGPIPE) // a failing write shows that the editor has gone
			var servers []string
			for _, server := range set.settings.ToolServers {
				servers = append(servers, server.Name)
			}
			err = acp.Serve(cmd.Context(), stdio{s}, acp.Options{
				Log: set.log, Version: version, Servers: servers,
				Context: set.settings.ContextTokens, Forbidden: set.settings.Forbidden(),
				NewAgent: func(dir string, editor func(*workspace.Workspace) state.Editor) (*agent.Agent, error) {
					if set.unusable != nil {
						return nil, set.unusableError()
					}
					ws := set.workspaceOf(workspace.Folder{Dir: dir})
					a := set.agent(ws, editor(ws))
					set.inMemory(a.Tell)
					return a, nil
				},
			})
			if cmd.Context().Err() != nil {
				return cmd.Context().Err() // stopped by a signal
			}
			return err
		},
	}
}
