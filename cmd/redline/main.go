// Command redline is a language server that puts an AI coding agent into every editor that
// speaks LSP. It also runs the same agent on the command line.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"redline/workspace/runner"
)

func main() { os.Exit(process()) }

// process runs the command line of this process. Ctrl-C or SIGTERM stops the running command;
// a second one ends the process at once.
func process() int {
	if runner.IsHelper(os.Args) { // a hidden subcommand, which needs none of the setup below
		return runner.Help()
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)
	return run(ctx, os.Args[1:], streams{in: os.Stdin, out: os.Stdout, err: os.Stderr})
}
