package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"redline/internal/statusline"
)

// streams are the streams of a command: those of the process, or a test's.
type streams struct {
	in   io.Reader
	out  io.Writer
	err  io.Writer
	line *statusline.Line // the status line on the terminal of out or err, nil for none; see watched
}

// run runs one command line and returns the exit status.
func run(ctx context.Context, args []string, s streams) int {
	root := newRoot(s)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	return report(ctx, err, s.err)
}

// extra returns the commands that only some builds have; see manual.go.
var extra []func(streams) *cobra.Command

func newRoot(s streams) *cobra.Command {
	root := &cobra.Command{
		Use:   "redline",
		Short: "An AI coding agent for every editor that speaks LSP",
		Long: `Redline puts an AI coding agent into every editor that speaks LSP. You ask for a
change in plain words; it shows you the exact edits; nothing changes until you
approve them.

` + exitHelp(),
		Example: `  redline demo                        # see it work, offline, in a minute
  redline run 'rename Total to Sum'   # ask without an editor
  redline serve                       # what your editor starts`,
		Version:                    versionText(),
		SilenceUsage:               true,
		SilenceErrors:              true,
		DisableFlagsInUseLine:      true,
		SuggestionsMinimumDistance: 2,
		Args:                       noArgs,
		RunE:                       help,
	}
	root.SetIn(s.in)
	root.SetOut(s.out)
	root.SetErr(s.err)
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usage(fmt.Errorf("%w: %s --help lists the flags", err, cmd.CommandPath()))
	})
	root.AddCommand(newServe(s), newRun(s), newPlans(s), newTrialsCommand(s), newTrace(s), newStats(s), newAudit(s), newDemo(s), newInit(s), newSetupCommand(s), newDoctor(s), newUninstall(s), newVersion(s))
	for _, command := range extra {
		root.AddCommand(command(s))
	}
	return root
}

// help is the action of a command that only groups subcommands.
func help(cmd *cobra.Command, _ []string) error { return cmd.Help() }

// noArgs refuses arguments with a usage error that suggests a command.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	path := cmd.CommandPath()
	if !cmd.HasAvailableSubCommands() {
		return usage(fmt.Errorf("%s takes no arguments, but %q was given: see %s --help", path, args[0], path))
	}
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		return usage(fmt.Errorf("there is no command %q: did you mean %s %s?", args[0], path, near[0]))
	}
	return usage(fmt.Errorf("there is no command %q: %s --help lists the commands", args[0], path))
}
