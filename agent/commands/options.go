package commands

import (
	"context"

	"redline/agent/rules"
	"redline/workspace/runner"
)

// Options says how approved commands are run.
type Options struct {
	Limits          runner.Limits // of each; a plan may ask for less time, not for more
	Caches          []string      // absolute directories besides the workspace that they may write
	Env             []string      // names of variables that they get besides the usual ones
	Secrets         []string      // removed from the output that is kept
	Confine         string        // this and the next three: see [runner.Command]
	Namespaces      string
	Own, OwnFolders []string
	Rules           *rules.Rules // the user's own; nil for none

	// Run runs a command; nil means [runner.Run].
	Run func(ctx context.Context, c runner.Command, tell func(runner.Stream, string)) (runner.Outcome, error)
}
