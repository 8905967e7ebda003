//go:build unix

package runner

import (
	"fmt"
	"os"
	"os/exec"
	"sync/atomic"
	"syscall"
	"time"

	"redline/internal/leash"
	"redline/workspace/world"
)

// launcher starts a helper by bwrap, which makes its world, and sends it the workspace.
type launcher struct {
	*world.Launcher
	program  string
	from, to *os.File // the pipe for the workspace
}

// findBwrap is another function in tests.
var findBwrap = world.FindBwrap

// launcherFor returns what launches the helper of a command, nil if it is started as it is.
func launcherFor(c Command) (*launcher, error) {
	if c.World == nil || c.World.Kind != world.Bwrap {
		return nil, nil
	}
	program, err := findBwrap()
	if err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("this program cannot be found: %w", err)
	}
	made, err := world.NewLauncher(*c.World, self, HelperArg)
	if err != nil {
		return nil, err
	}
	l := &launcher{Launcher: made, program: program}
	if l.from, l.to, err = os.Pipe(); err != nil {
		return nil, fmt.Errorf("a command cannot be started: %w", err)
	}
	return l, nil
}

// command returns bwrap with its arguments.
func (l *launcher) command() *exec.Cmd {
	cmd := exec.Command(l.program, l.Args...)
	leash.Mark(cmd) // if bwrap is killed early, its child waits for it for ever
	return cmd
}

// send sends the workspace.
func (l *launcher) send() {
	_ = l.Send(l.to) // if this fails, the helper has ended, which the notices show
	l.to.Close()
}

// copyFile is the descriptor from which a helper in a world of bwrap's reads the workspace.
const copyFile = 5

// enter makes this process, a helper, see its world only.
func enter(w world.World) error {
	if w.Kind == world.Bwrap {
		return world.EnterCopy(w, os.NewFile(copyFile, "workspace"))
	}
	return world.Enter(w)
}

// watch kills all else in the world once more is written than may be, which the kernel does not
// limit in worlds of bwrap's. It returns whether it did.
func watch(w *world.World) *atomic.Bool {
	full := &atomic.Bool{}
	if w == nil || w.Kind != world.Bwrap {
		return full
	}
	go func() {
		for ; !full.Load(); time.Sleep(watching) {
			if world.Full(*w) {
				full.Store(true)
				_ = syscall.Kill(-1, syscall.SIGKILL) // in this PID namespace
			}
		}
	}()
	return full
}

// watching is how often watch looks.
const watching = 5 * time.Millisecond
