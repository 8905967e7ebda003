// Command redline is a language server that puts an AI coding agent into every editor that
// speaks LSP. It also runs the same agent on the command line.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"redline/agent/model"
	"redline/agent/plan"
	"redline/edits"
	"redline/internal/statusline"
	"redline/workspace/runner"
)

func main() { os.Exit(process()) }

// gcPercent makes this process collect garbage less often than Go's default: in a server, each
// character typed into a large file leaves a copy of it behind; a command line ends soon.
const gcPercent = 300

// process runs the command line of this process. Ctrl-C or SIGTERM stops the running command;
// a second one ends the process at once.
func process() int {
	if runner.IsHelper(os.Args) { // a hidden subcommand, which needs none of the setup below
		return runner.Help()
	}
	debug.SetGCPercent(gcPercent)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)
	return run(ctx, os.Args[1:], streams{in: os.Stdin, out: os.Stdout, err: os.Stderr})
}

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

At a terminal it asks what should change, again and again, in one conversation: the
keys of readline, Tab for commands and their names, a history; \ at the end of a line
continues it; Ctrl-C ends a turn, Ctrl-D the program.

` + exitHelp(),
		Example: `  redline demo                        # see it work, offline, in a minute
  redline                             # ask at a terminal, one request after the other
  redline run 'rename Total to Sum'   # ask without an editor
  redline serve                       # what your editor starts`,
		Version:                    versionText(),
		SilenceUsage:               true,
		SilenceErrors:              true,
		DisableFlagsInUseLine:      true,
		SuggestionsMinimumDistance: 2,
		Args:                       noArgs,
	}
	f := &runFlags{}
	f.defineTalk(root.Flags())
	completeTalk(root)
	root.RunE = func(cmd *cobra.Command, args []string) error {
		if !f.talks(s) {
			return help(cmd, args)
		}
		return f.begin(cmd, s, nil)
	}
	root.SetIn(s.in)
	root.SetOut(folding(s.out))
	root.SetErr(folding(s.err))
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usage(fmt.Errorf("%w: %s --help lists the flags", err, cmd.CommandPath()))
	})
	root.AddCommand(newServe(s), newACP(s), newRun(s), newAdopt(s), newPlans(s), newReview(s), newTrialsCommand(s), newOutside(s), newTrace(s), newStats(s), newAudit(s), newDemo(s), newInit(s), newSetupCommand(s), newDoctor(s), newUninstall(s), newVersion(s))
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

// Exit statuses that scripts can rely on.
const (
	exitOK       = 0
	exitInternal = 1
	exitUsage    = 2
	exitWaiting  = 3
	exitRefused  = 4
	exitProvider = 5
	exitCommand  = 6
	exitStopped  = 130
)

// exitStatuses lists what each exit status means.
var exitStatuses = []struct {
	code int
	text string
}{
	{exitOK, "answered, applied, or nothing to do"},
	{exitInternal, "internal error"},
	{exitUsage, "the command line, your settings file or the policy of the machine cannot be understood"},
	{exitWaiting, "a plan, or a part of it, waits for approval, or a question for your answer; or a copy has only changes that no plan can have"},
	{exitRefused, "refused, stale or failed; a turn left something undone and made no plan; a command or agent failed in a copy and changed nothing; the audit log is broken; a file exists already"},
	{exitProvider, "the model provider could not be used"},
	{exitCommand, "a command of an approved plan failed; the edits stay applied"},
	{exitStopped, "interrupted"},
}

// exitHelp returns the list of exit statuses for the help.
func exitHelp() string {
	var b strings.Builder
	b.WriteString("Exit status:\n")
	for _, s := range exitStatuses {
		fmt.Fprintf(&b, "  %-3d  %s\n", s.code, s.text)
	}
	return strings.TrimRight(b.String(), "\n")
}

// status is an error that only carries an exit status; its message is already printed.
type status int

func (s status) Error() string { return fmt.Sprintf("exit status %d", int(s)) }

// errInterrupted is the error of a turn that the user interrupted.
var errInterrupted = errors.New("interrupted, and nothing was changed")

// commandError is the error of an approval with a command that failed.
type commandError struct{ error }

// usageError is an error in the command line.
type usageError struct{ err error }

func (u usageError) Error() string { return u.err.Error() }

func usage(err error) error { return usageError{err} }

// report prints an error in one sentence and returns its exit status.
func report(ctx context.Context, err error, stderr io.Writer) int {
	code := codeOf(ctx, err)
	if err != nil && !errors.As(err, new(status)) && !errors.Is(err, context.Canceled) {
		fmt.Fprintf(folding(stderr), "redline: %s\n", edits.Visible(strings.TrimSpace(err.Error())))
	}
	return code
}

func codeOf(ctx context.Context, err error) int {
	var (
		s       status
		bad     usageError
		command commandError
		refusal *plan.Refusal
	)
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &s):
		return int(s)
	case ctx.Err() != nil, errors.Is(err, errInterrupted):
		return exitStopped
	case errors.As(err, &command):
		return exitCommand
	case errors.As(err, &bad):
		return exitUsage
	case model.Failed(err):
		return exitProvider
	case errors.As(err, &refusal):
		return exitRefused
	}
	return exitInternal
}
