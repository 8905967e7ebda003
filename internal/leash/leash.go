// Package leash starts programs that never outlive this process and leave nothing running
// that they started, however any of them ends.
//
// A helper runs each program: this program again, started with a hidden subcommand. Where
// the system allows it (Linux), the helper is the first process of a PID namespace, and
// the kernel kills everything in the namespace with it. Elsewhere on Linux the helper,
// and this process above it, adopt orphans (PR_SET_CHILD_SUBREAPER) and end them. Other
// systems can only end the process group of the program.
package leash

import (
	"errors"
	"os"
	"os/exec"
	"slices"

	"redline/internal/cgroup"
)

// Way is a way to end a program and everything that it started.
type Way string

// The ways.
const (
	Namespace Way = "namespace" // the kernel kills a PID namespace with its first process
	Cgroup    Way = "cgroup"    // like Swept, and the kernel also kills everything in a cgroup
	Swept     Way = "sweep"     // orphans are adopted, found and ended
	Group     Way = "group"     // only the process group is ended
)

// Support describes what this system can do.
type Support struct {
	Way    Way    // the best way
	Else   Way    // the best way without namespaces
	UserNS bool   // a namespace also needs a user namespace, which knows only this user
	Reason string // why Way is not Namespace, as a part of a sentence
}

// Refusal is the error where the system refuses namespaces. Both texts are parts of a sentence.
type Refusal struct {
	Why string // the reason
	Do  string // what helps, "" if that is not known
}

func (r *Refusal) Error() string { return r.Why }

// Process is a running helper.
type Process struct {
	Way Way

	cmd   *exec.Cmd
	done  chan struct{}
	err   error
	group *cgroup.Group
}

// Wait waits until the helper has ended, and everything that it started, as far as Way
// can determine that. The error is that of [exec.Cmd.Wait].
func (p *Process) Wait() error {
	<-p.done
	return p.err
}

// Pid returns the process id of the helper.
func (p *Process) Pid() int { return p.cmd.Process.Pid }

// Done is closed when Wait would return.
func (p *Process) Done() <-chan struct{} { return p.done }

// Kill kills the helper and everything that it started.
func (p *Process) Kill() { _ = p.cmd.Process.Kill() } // an error means that it has ended already

// errNoHelper reports that a helper was started without the files that it needs.
var errNoHelper = errors.New("redline: this subcommand is for Redline itself")

// The hidden subcommands of this package's helpers.
const (
	holdArg = "run-server"
	tryArg  = "try-namespace"
	markArg = "run-marked"
)

// IsHelper reports whether this process was started as a helper of this package.
func IsHelper(args []string) bool {
	return len(args) == 2 && slices.Contains([]string{holdArg, tryArg}, args[1]) || len(args) > 2 && args[1] == markArg
}

// Help is the main function of this package's helpers. It returns the exit status.
func Help(args []string) int {
	switch args[1] {
	case tryArg:
		return helpTry()
	case markArg:
		return helpMark(args[2:])
	}
	return helpHold()
}

// Self returns the name of this program, which is its own helper.
func Self() string {
	if _, err := os.Stat("/proc/self/exe"); err == nil {
		return "/proc/self/exe" // valid even if a newer program replaced the file
	}
	exe, err := os.Executable()
	if err != nil {
		return os.Args[0]
	}
	return exe
}
