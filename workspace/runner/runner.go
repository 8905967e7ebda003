// Package runner runs a command line that the user has approved, and nothing
// else in Redline starts one. It is a package of its own so that what a model's
// tools can reach of the workspace has no way to a process.
//
// The process that asks starts a small helper: the same program again, in a
// session of its own, with an environment of few variables. The helper limits
// what it and everything that it starts can write (see [Confinement]), runs the
// line with `sh -c`, and ends all that is left of it when the line has ended, or
// when the process that asked has. So a command never outlives its server, and
// the server never limits itself.
package runner

import (
	"cmp"
	"context"
	"errors"
	"time"

	"redline/internal/leash"
	"redline/workspace/leftover"
)

// Command is a command line and what it may use.
type Command struct {
	Line   string   // for sh -c, exactly as it was approved
	Dir    string   // absolute directory that it runs in
	Write  []string // absolute directories below which it may write, where the system can limit that
	Env    []string // names of variables that it gets besides the usual ones
	Limits Limits

	// Secrets are texts that must not be in what is told and kept of its output.
	// They do not reach the helper.
	Secrets []string

	// Own are absolute paths of Redline's own files and folders, which may not exist
	// and may lead through links: the command cannot write them, wherever they lie.
	// Those of OwnFolders are made, empty, if they are missing and the command could
	// make them.
	Own, OwnFolders []string

	// Left is where the folder for temporary files is written down; nil: nowhere.
	Left *leftover.Ledger

	// Namespaces says whether the command runs in namespaces of its own:
	// [NamespacesAuto] or [NamespacesOff]; "" is the first.
	Namespaces string
	way        leash.Way // of tests: instead of the best one

	// Confine says whether to limit what it can write: [ConfineAuto],
	// [ConfineRequire] or [ConfineOff]; "" is the first.
	Confine string
}

// Limits end a command that does not end by itself, and bound what is kept of
// what it prints. Zero is the default.
type Limits struct {
	Time   time.Duration // 10 min
	Output int           // bytes that are kept: of its beginning a quarter, of its end the rest; 32 KiB
	Stream int           // bytes that are told while it runs; 1 MiB
}

func (l Limits) withDefaults() Limits {
	return Limits{
		Time: cmp.Or(l.Time, 10*time.Minute), Output: cmp.Or(l.Output, 32<<10), Stream: cmp.Or(l.Stream, 1<<20),
	}
}

// Ways to limit what a command can write.
const (
	ConfineAuto    = "auto"    // where the system can
	ConfineRequire = "require" // the command is not run where the system cannot
	ConfineOff     = "off"     // not at all
)

// Whether a command runs in namespaces of its own.
const (
	NamespacesAuto = "auto" // where the system allows it
	NamespacesOff  = "off"
)

// Stream is where a command prints something.
type Stream string

// The streams.
const (
	Stdout Stream = "stdout"
	Stderr Stream = "stderr"
)

// End is how a command has ended.
type End string

// The ends.
const (
	Exited    End = "exited"    // by itself, with an exit code
	Signalled End = "signalled" // by a signal of somebody else
	TimedOut  End = "timed_out" // it was ended after Limits.Time
	Cancelled End = "cancelled" // it was ended because the context was done
	Lost      End = "lost"      // its helper has gone, so that it is not known
)

// Outcome is what a command has come to.
type Outcome struct {
	End      End
	ExitCode int           // of one that exited; -1 otherwise
	Signal   string        // of one that was signalled: "killed"
	Took     time.Duration // from its start to its end
	Stdout   string        // what it printed, valid UTF-8, at most Limits.Output bytes and a line that says what is left out
	Stderr   string
	Output   string // both, in the order in which they came
	Confined bool   // what it could write was limited
}

// ErrUnsupported is why no command can be run on this system.
var ErrUnsupported = errors.New("commands cannot be run on this system yet: run it yourself, then reject it here")

// Run runs a command and waits until it, and all that it has started, has ended.
// tell is called with what it prints, as valid UTF-8, in order and never by two
// goroutines at a time; it must not block for long. When ctx is done the command
// is ended: it is asked to, and made to a moment later. An error means that the
// command was not started.
func Run(ctx context.Context, c Command, tell func(Stream, string)) (Outcome, error) {
	if err := ctx.Err(); err != nil {
		return Outcome{}, err
	}
	c.Limits = c.Limits.withDefaults()
	c.Confine = cmp.Or(c.Confine, ConfineAuto)
	if tell == nil {
		tell = func(Stream, string) {}
	}
	return run(ctx, c, tell)
}
