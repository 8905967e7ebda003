// Package leash starts programs that never outlive this process, nor leave
// behind what they have started, however any of them ends.
//
// A program is run by a helper: this program again, started with a hidden
// subcommand. Where the system allows it (Linux), the helper is the first process
// of a PID namespace, and the kernel ends all that is in there with it. Elsewhere
// on Linux the helper, and this process above it, adopt what loses its parent
// (PR_SET_CHILD_SUBREAPER) and end it. On other systems only the process group of
// the program is found.
package leash

import (
	"errors"
	"os/exec"
)

// Way is how all that a program has started is ended with it.
type Way string

// The ways.
const (
	Namespace Way = "namespace" // the kernel ends a PID namespace with its first process
	Cgroup    Way = "cgroup"    // like Swept, and the kernel ends all that is in a cgroup
	Swept     Way = "sweep"     // what has lost its parent is adopted, found and ended
	Group     Way = "group"     // only the process group is found
)

// Support says what this system can do.
type Support struct {
	Way    Way    // the best
	Else   Way    // the best without namespaces
	UserNS bool   // a namespace needs a user namespace besides, in which only the user's own name is known
	Reason string // why Way is not Namespace, as a part of a sentence
}

// Process is a helper that was started.
type Process struct {
	Way Way

	cmd    *exec.Cmd
	done   chan struct{}
	err    error
	cgroup *cgroup
}

// Wait waits until the helper, and as far as Way can tell all that it has
// started, has ended. The error is that of [exec.Cmd.Wait].
func (p *Process) Wait() error {
	<-p.done
	return p.err
}

// Done is closed when Wait would return.
func (p *Process) Done() <-chan struct{} { return p.done }

// Kill kills the helper; what it has started goes with it.
func (p *Process) Kill() { _ = p.cmd.Process.Kill() } // one that has ended is as good

// errNoHelper says that a helper was started without the files that it needs.
var errNoHelper = errors.New("redline: this subcommand is for Redline itself")
