package commands

import (
	"context"

	"redline/agent/rules"
	"redline/workspace/runner"
)

// Options says how approved commands are run.
type Options struct {
	// Command is how each is run, but for its Line, Dir, Write and Left. A plan may ask for less
	// time, not for more.
	runner.Command

	Caches []string     // absolute directories besides the workspace that they may write
	Rules  *rules.Rules // the user's own; nil for none

	// Run runs a command; nil means [runner.Run].
	Run func(ctx context.Context, c runner.Command, tell func(runner.Stream, string)) (runner.Outcome, error)
}
