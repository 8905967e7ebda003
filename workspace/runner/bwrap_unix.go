//go:build unix

package runner

import (
	"fmt"
	"os"
	"os/exec"

	"redline/internal/leash"
	"redline/workspace/world"
)

// launcher starts a helper with bwrap, which creates its world, and sends it the
// workspace.
type launcher struct {
	*world.Launcher
	program  string
	from, to *os.File // the pipe that carries the workspace
}

// findBwrap is a variable so that tests can replace it.
var findBwrap = world.FindBwrap

// launcherFor returns the launcher for the helper of a command, nil if the helper needs
// none.
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

// command returns the command line of bwrap.
func (l *launcher) command() *exec.Cmd {
	cmd := exec.Command(l.program, l.Args...)
	leash.Mark(cmd) // if bwrap is killed early, its child waits for it forever
	return cmd
}

// send sends the workspace to the helper.
func (l *launcher) send() {
	_ = l.Send(l.to) // an error means that the helper has exited, which the notices report
	l.to.Close()
}

// copyFile is the file descriptor from which a helper in a world of bwrap reads the
// workspace.
const copyFile = 5

// enter moves this process, a helper, into its world.
func enter(w world.World) error {
	if w.Kind == world.Bwrap {
		return world.EnterCopy(w, os.NewFile(copyFile, "workspace"))
	}
	return world.Enter(w)
}
