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
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"redline/internal/leash"
	"redline/workspace/leftover"
	"redline/workspace/network"
	"redline/workspace/secrets"
	"redline/workspace/toolfolders"
	"redline/workspace/world"
)

// Command is a command line with its limits.
type Command struct {
	Line   string   // the argument of sh -c, exactly as approved
	Dir    string   // absolute path of the working directory
	Write  []string // absolute directories that it may write to, if the system can limit that
	Env    []string // names of more environment variables to pass to it
	Limits Limits

	// Keys are names of more environment variables that it gets, in a world too, although their values
	// may be passwords or tokens. Its output does not show these.
	Keys []string

	// Secrets are texts to remove from its output. The helper does not get them.
	Secrets []string

	// Own are absolute paths of Redline's own files and folders. They may be missing and
	// may lead through links. The command cannot write to them, wherever they are.
	// Missing folders in OwnFolders are created empty if the command could create them.
	Own, OwnFolders []string

	// Left records the folder for temporary files, so that it is removed after a crash;
	// nil records nothing.
	Left *leftover.Ledger

	// Namespaces selects whether the command runs in namespaces of its own:
	// [NamespacesAuto] (also "") or [NamespacesOff].
	Namespaces string
	way        leash.Way // for tests: the way to end processes, instead of the best one
	mountsOnly bool      // for tests: do without Landlock

	// Confine selects whether to limit where it can write: [ConfineAuto] (also ""),
	// [ConfineRequire] or [ConfineOff].
	Confine string

	// World is the world in which to run the command; nil runs it on the host's files.
	// With a world, Write, Own, OwnFolders, Namespaces and Confine have no effect. What the command
	// has written in what is kept of the world's State is written back once everything in the world
	// has ended, also if the command failed or was stopped. If
	// writes cannot be kept in memory, Run creates the Uppers of the world beside the
	// lists of Left, or in another folder for temporary files, and Disk also limits their
	// size.
	World *world.World

	// Network is what it can reach from its world. Named peers are reached through a proxy, which this
	// process runs while the command does. Without a world it has the network of the host.
	Network network.Access

	// Plain is a plain copy of the workspace to run the command in, instead of World: Dir is in it, and
	// names in its environment that lead into the workspace lead into the copy. Nothing of World has an
	// effect then. nil means none.
	Plain *world.Plain

	// Capture chooses, from all that the command has left in the folders of its world or plain copy, the files whose
	// content is wanted, by their indices; nil reads nothing. It is called once, after everything in the
	// world has ended, also if the command was stopped by its limits, but not if ctx is done.
	Capture func(left []world.Entry) (wanted []int)

	// Input is its standard input, which is empty without it.
	Input []byte

	// Talk, if not nil, holds the other ends of its standard input and output, instead of Input and
	// tell: Read ends when nothing can write any more. Secrets are not removed. Once it returns, the
	// input ends, and a command that does not exit soon is ended, as if it had exited with 0. ctx is
	// done when the command is to stop: Talk may then say so, and should return within 5 s.
	Talk func(ctx context.Context, stream io.ReadWriter) error

	// Live, if not nil, changes files in the folders of its World while it runs.
	Live *Live

	probe string // run a test of the world with these targets instead of Line
	disk  bool   // keep the writes of its world on a disk, even if memory would do
}

// Limits are the limits on a command's time and output. A zero field means its default.
type Limits struct {
	Time   time.Duration // timeout; 10 min
	Output int           // bytes to keep: a quarter from the beginning, the rest from the end; 32 KiB
	Stream int           // bytes to pass on while the command runs; 1 MiB
}

func (l Limits) withDefaults() Limits {
	return Limits{
		Time: cmp.Or(l.Time, 10*time.Minute), Output: cmp.Or(l.Output, 32<<10), Stream: cmp.Or(l.Stream, 1<<20),
	}
}

// The values of [Command].Confine.
const (
	ConfineAuto    = "auto"    // if the system can
	ConfineRequire = "require" // refuse the command if the system cannot
	ConfineOff     = "off"     // never
)

// The values of [Command].Namespaces.
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
	Exited    End = "exited"    // it exited with an exit code
	Signalled End = "signalled" // killed by a signal that Redline did not send
	TimedOut  End = "timed_out" // stopped by the timeout, Limits.Time
	Cancelled End = "cancelled" // stopped because the context was done
	Lost      End = "lost"      // the helper exited, so the result is unknown
	Overfull  End = "overfull"  // killed because it wrote more than its world may hold

	OutOfMemory End = "out_of_memory" // killed because it used more memory than its world may have
)

// Outcome is the result of a command.
type Outcome struct {
	End       End
	ExitCode  int           // -1 if it did not exit by itself
	Signal    string        // the signal that ended it: "killed"
	Took      time.Duration // from start to end
	Stdout    string        // valid UTF-8, at most Limits.Output bytes and a line that says what is left out
	Stderr    string
	Output    string         // both, in the order of arrival
	World     world.Kind     // how its world was built, "" without one
	Confined  bool           // its writes were limited
	Bounded   bool           // its memory and process limits applied to all of its processes together
	Unreached int            // in a world: how often it tried to reach an address that is not there, see [world.Unreached]
	Network   network.Report // in a world: what it reached, and what was refused
	Written   []string       // in a world with a folder that stays: other files that it wrote, see [world.Written]

	Talked    error // what Talk has returned
	Dismissed bool  // it was ended, since it did not exit after Talk had returned

	Left        []world.Entry // what it left in the folders of its world, with the wanted content, see [Command]
	Filled      bool          // there was no room left for what it wrote: files may be cut off
	NotCaptured error         // why that is not known, as a part of a sentence; nil if it is, or nobody asked

	Kept     []string // of the State of its world: files that were written back, absolute
	NotKept  []Named  // files of it that the command has written and that were not
	NotShown []Named  // paths of it that the world did not have

	Whole    bool // the helper has seen its end, so Written has all
	ReadOnly bool // everything else was read-only for it, including permissions, times and attributes

	// Refused are files outside of what it could write, absolute, that a command whose writes were
	// limited could not write, by its output, although the user can. RefusedUnnamed means that its
	// output tells of a read-only file system, but of no such file. Both only if it failed.
	Refused        []string
	RefusedUnnamed bool
}

// Named is a file or folder, absolute, with a reason, which is a part of a sentence.
type Named struct{ Name, Reason string }

// ErrUnsupported is the error on a system that cannot run commands.
var ErrUnsupported = errors.New("commands cannot be run on this system yet: run it yourself, then reject it here")

// Run runs a command and waits until it and everything that it started has ended. It calls
// tell with the output, as valid UTF-8, in order and never from two goroutines at a time;
// tell must not block for long. When ctx is done, Run asks the command to end, and kills it
// a moment later. An error means that the command was not started.
func Run(ctx context.Context, c Command, tell func(Stream, string)) (Outcome, error) {
	defer c.Live.ended()
	if err := ctx.Err(); err != nil {
		return Outcome{}, err
	}
	c.Limits = c.Limits.withDefaults()
	c.Confine = cmp.Or(c.Confine, ConfineAuto)
	if tell == nil {
		tell = func(Stream, string) {}
	}
	if c.Plain != nil {
		return runPlain(ctx, c, tell)
	}
	if c.World != nil && c.World.Kind == "" {
		w := *c.World
		w.Kind, _ = Apart()
		c.World = &w
	}
	return run(ctx, c, tell)
}

// Confinement describes how the system can limit where a command writes.
type Confinement struct {
	Supported bool
	What      string // short: "Landlock, ABI 7", or what is missing
}

// devices are the devices that every command may write to: none of them stores data.
var devices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"}

// hider removes secrets from streams, even if one arrives in several pieces.
type hider struct {
	secrets []string
	held    map[Stream]string // text held back, since it may be the beginning of a secret
}

func newHider(values []string) hider {
	return hider{secrets.Known(values), map[Stream]string{}}
}

// pass returns the part of a stream that can be shown now; if end is true, the rest.
func (h hider) pass(s Stream, text string, end bool) string {
	text = h.held[s] + text
	h.held[s] = ""
	var out strings.Builder
	for {
		at, size := len(text), 0
		for _, secret := range h.secrets { // the longest first
			if i := strings.Index(text[:min(len(text), at+len(secret))], secret); i >= 0 && i < at {
				at, size = i, len(secret)
			}
		}
		if from := h.begins(text); !end && from <= at {
			h.held[s] = text[from:]
			return out.String() + text[:from]
		}
		out.WriteString(text[:at])
		if size == 0 {
			return out.String()
		}
		out.WriteString(secrets.Removed)
		text = text[at+size:]
	}
}

// begins returns where the end of a text may be the beginning of a secret.
func (h hider) begins(text string) int {
	hold := 0
	for _, secret := range h.secrets {
		for n := min(len(secret)-1, len(text)); n > hold; n-- {
			if strings.HasSuffix(text, secret[:n]) {
				hold = n
				break
			}
		}
	}
	return len(text) - hold
}

// usual are the variables of the user's environment that every command gets, with those that say
// where tools have their folders. They include no keys, tokens or agent sockets.
var usual = []string{
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ",
	"GOFLAGS", "GOTOOLCHAIN", "GOPROXY", "GONOSUMDB", "GOPRIVATE", "GOSUMDB", "GOWORK", "CGO_ENABLED",
	"SSL_CERT_FILE", "SSL_CERT_DIR", "NIX_PATH", "NIX_SSL_CERT_FILE",
}

// set are the variables set for every command. They say that there is no terminal and
// that nobody can answer questions.
var set = []string{"TERM=dumb", "PAGER=cat", "GIT_PAGER=cat", "GIT_TERMINAL_PROMPT=0", "GIT_EDITOR=true", "NO_COLOR=1"}

// usualTemp is where programs create temporary files by default.
const usualTemp = "/tmp"

// environOf returns the environment of a command. In a world, which the user has not approved,
// no value has a password or a token.
func environOf(c Command, temp string) []string {
	if c.Plain != nil {
		return environInPlain(c, temp)
	}
	if c.World == nil {
		return environ(os.Environ(), slices.Concat(c.Env, c.Keys), temp)
	}
	named := c.Env
	if c.Network.Host { // where only a proxy leads outside
		named = slices.Concat(named, network.Variables)
	}
	env := environ(withGoSettings(os.Environ()), named, temp)
	for i, v := range env { // first: without its user, an address is none of those below
		if name, value, _ := strings.Cut(v, "="); slices.Contains(network.Variables, name) {
			v = name + "=" + network.WithoutUser(value)
		}
		env[i] = secrets.WithoutUsers(v)
	}
	env = slices.DeleteFunc(env, func(v string) bool { return secrets.Text("variable", v) })
	for _, name := range c.Keys {
		if value, ok := os.LookupEnv(name); ok {
			env = slices.DeleteFunc(env, func(v string) bool { return strings.HasPrefix(v, name+"=") })
			env = append(env, name+"="+value)
		}
	}
	return env
}

// withGoSettings returns an environment with what the user's settings for Go say and it does not: a
// world has no such file.
func withGoSettings(env []string) []string {
	for name, value := range toolfolders.GoSettings() {
		if os.Getenv(name) == "" {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// environ returns the environment of a command: from the user's environment the usual
// variables, those of tools' folders, the locale settings and the variables in named, and temp as the folder for
// temporary files. If temp is the default folder, environ passes the variables that name
// it only if the user has set them: Go caches the result of a test that reads them for
// exactly these values.
func environ(users, named []string, temp string) []string {
	var env []string
	for _, v := range users {
		name, value, ok := strings.Cut(v, "=")
		if passed, is := toolfolders.Passed(name, value); ok && is && !slices.Contains(named, name) {
			env = append(env, name+"="+passed)
		} else if ok && (slices.Contains(usual, name) || strings.HasPrefix(name, "LC_") || slices.Contains(named, name)) {
			env = append(env, v)
		}
	}
	env = append(env, set...)
	for _, name := range []string{"TMPDIR", "TMP", "TEMP"} {
		isSet := slices.ContainsFunc(users, func(v string) bool { return strings.HasPrefix(v, name+"=") })
		if temp == usualTemp && !isSet {
			continue
		}
		env = append(env, name+"="+temp)
	}
	return env
}
