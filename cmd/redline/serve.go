package main

import (
	"io"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"redline/agent"
	"redline/agent/state"
	"redline/lsp"
	"redline/lsp/apply"
	"redline/workspace"
)

func newServe(s streams) *cobra.Command {
	var attached string
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Run the language server on stdin and stdout",
		Long: `What an editor starts: speaks LSP on stdin and stdout until the editor ends it.
Settings come from your own file (redline doctor --config); the log goes to stderr
and to the editor, as much of it as REDLINE_LOG says. redline init EDITOR connects an
editor.`,
		Example: `  redline serve
  REDLINE_LOG=debug redline serve 2> redline.log`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			flags := map[string]string{}
			if cmd.Flags().Changed("attached") {
				flags["editor.attached"] = attached
			}
			set, err := newSetupAnyway(flags)
			if err != nil {
				return err
			}
			defer set.store.Close()
			set.warn(s)
			set.someBuffers = set.settings.SomeBuffers()
			set.log = newLog(set.settings.LogLevel)
			signal.Ignore(syscall.SIGPIPE) // a failing write shows that the editor has gone
			err = lsp.Serve(cmd.Context(), stdio{s}, lsp.Options{
				Log: set.log, Version: version, StateDir: set.settings.StateDir, OffLimits: set.settings.OwnPaths(), MaxFile: set.settings.MaxFile, Charsets: set.settings.Charsets,
				Timeouts: lsp.Timeouts{Apply: apply.Timeouts{ApplyEdit: set.settings.ApplyTimeout}},
				Review:   set.settings.Review, SomeBuffers: set.someBuffers,
				Settings: &set.settings, Warnings: set.warnings,
				NewAgent: func(ws *workspace.Workspace, ed state.Editor) (*agent.Agent, error) {
					if set.unusable != nil {
						return nil, set.unusableError()
					}
					a := set.agent(ws, ed)
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
	cmd.Flags().StringVar(&attached, "attached", "all", "`which` of its buffers the editor shows, all or some: overrides the setting editor.attached")
	cmd.Flags().Bool("stdio", true, "accepted and ignored: Redline always uses stdin and stdout")
	return cmd
}

// stdio is standard input and output as one connection.
type stdio struct{ s streams }

func (c stdio) Read(p []byte) (int, error)  { return c.s.in.Read(p) }
func (c stdio) Write(p []byte) (int, error) { return c.s.out.Write(p) }

// Close closes the input. A read that waits for a terminal or a pipe may stay blocked;
// the process exits anyway.
func (c stdio) Close() error {
	if in, ok := c.s.in.(io.Closer); ok {
		return in.Close()
	}
	return nil
}
