// Package runner runs a command line that the user has approved; nothing else in Redline
// starts one. It is a package of its own so that a model's tools, which can reach package
// workspace, have no way to start a process.
//
// Run starts a small helper: the same program again, in a session of its own, with few
// environment variables. The helper limits what it and everything that it starts can write
// (see [Confinement]), runs the line with `sh -c`, and ends all that is left when the line
// or its parent process has ended. So a command never outlives its server, and the server
// never limits itself.
package runner

import (
	"cmp"
	"context"
	"errors"
	"time"

	"redline/internal/leash"
	"redline/workspace/leftover"
	"redline/workspace/world"
)

// Command is a command line with its limits.
type Command struct {
	Line   string   // for sh -c, exactly as approved
	Dir    string   // absolute directory to run in
	Write  []string // absolute directories that it may write, if the system can limit that
	Env    []string // names of further variables that it gets
	Limits Limits

	// Secrets are texts to remove from its output. They do not reach the helper.
	Secrets []string

	// Own are absolute paths of Redline's own files and folders, which may not exist and
	// may lead through links: the command cannot write them, wherever they are. Those of
	// OwnFolders are created empty if they are missing and the command could create them.
	Own, OwnFolders []string

	// Left records the folder for temporary files; nil: it is not recorded.
	Left *leftover.Ledger

	// Namespaces selects whether the command runs in namespaces of its own:
	// [NamespacesAuto] (also "") or [NamespacesOff].
	Namespaces string
	way        leash.Way // for tests: used instead of the best one
	mountsOnly bool      // for tests: as on a system without Landlock

	// Confine selects whether to limit what it can write: [ConfineAuto] (also ""),
	// [ConfineRequire] or [ConfineOff].
	Confine string

	// World is where the command runs instead of in the host's files; nil: there. Write,
	// Own, OwnFolders, Namespaces and Confine then mean nothing. Where what it writes cannot be
	// kept in memory, its Uppers are made beside the lists of Left, or in another folder for
	// temporary files, and its Disk bounds what is in them too.
	World *world.World
	probe string // instead of Line: the targets of a test of the world
	disk  bool   // keep what it writes in its world on a disk, whatever the system can
}

// Limits bound the time of a command and its output. Zero is the default.
type Limits struct {
	Time   time.Duration // 10 min
	Output int           // bytes to keep: a quarter from the beginning, the rest from the end; 32 KiB
	Stream int           // bytes to pass on while it runs; 1 MiB
}

func (l Limits) withDefaults() Limits {
	return Limits{
		Time: cmp.Or(l.Time, 10*time.Minute), Output: cmp.Or(l.Output, 32<<10), Stream: cmp.Or(l.Stream, 1<<20),
	}
}

// The ways to limit what a command can write.
const (
	ConfineAuto    = "auto"    // if the system can
	ConfineRequire = "require" // refuse the command if the system cannot
	ConfineOff     = "off"     // never
)

// The ways to run a command in namespaces of its own.
const (
	NamespacesAuto = "auto" // if the system allows it
	NamespacesOff  = "off"
)

// Stream is an output stream of a command.
type Stream string

// The streams.
const (
	Stdout Stream = "stdout"
	Stderr Stream = "stderr"
)

// End is how a command ended.
type End string

// The ends.
const (
	Exited    End = "exited"    // with an exit code
	Signalled End = "signalled" // by a signal that Redline did not send
	TimedOut  End = "timed_out" // stopped after Limits.Time
	Cancelled End = "cancelled" // stopped because the context was done
	Lost      End = "lost"      // its helper ended, so the result is unknown
	Overfull  End = "overfull"  // killed because it wrote more than its world may hold

	OutOfMemory End = "out_of_memory" // killed by the system because it used more memory than its world may have
)

// Outcome is the result of a command.
type Outcome struct {
	End      End
	ExitCode int           // if it exited, else -1
	Signal   string        // the signal that ended it: "killed"
	Took     time.Duration // from its start to its end
	Stdout   string        // valid UTF-8, at most Limits.Output bytes and a line that says what is left out
	Stderr   string
	Output   string     // both, in the order of arrival
	World    world.Kind // how its world was built, "" without one
	Confined bool       // what it could write was limited
	Bounded  bool       // its limits of memory and processes held for all that it started together
	ReadOnly bool       // everything else was read-only for it, with its permissions, times and attributes
}

// ErrUnsupported is the error on a system where no command can be run.
var ErrUnsupported = errors.New("commands cannot be run on this system yet: run it yourself, then reject it here")

// Run runs a command and waits until it and everything that it started has ended. It calls
// tell with the output, as valid UTF-8, in order and never from two goroutines at a time;
// tell must not block for long. When ctx is done, Run asks the command to end, and kills it
// a moment later. An error means that the command was not started.
func Run(ctx context.Context, c Command, tell func(Stream, string)) (Outcome, error) {
	if err := ctx.Err(); err != nil {
		return Outcome{}, err
	}
	c.Limits = c.Limits.withDefaults()
	c.Confine = cmp.Or(c.Confine, ConfineAuto)
	if tell == nil {
		tell = func(Stream, string) {}
	}
	if c.World != nil && c.World.Kind == "" {
		w := *c.World
		w.Kind, _ = Apart()
		c.World = &w
	}
	return run(ctx, c, tell)
}
