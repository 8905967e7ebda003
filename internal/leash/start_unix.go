//go:build unix && !linux

package leash

import (
	"os/exec"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Supports reports what this system can do.
func Supports() Support {
	return Support{Way: Group, Else: Group, Reason: "only Linux has PID namespaces and finds what has left its process group"}
}

// Start starts cmd, which must be a helper of this program.
func Start(cmd *exec.Cmd, way Way) (*Process, error) {
	p := &Process{Way: way, cmd: cmd, done: make(chan struct{})}
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setsid = true
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		p.err = cmd.Wait()
		close(p.done)
	}()
	return p, nil
}

// Enter prepares this process, a helper, for its way. On this system there is nothing to
// do.
func Enter(Way) error { return nil }

// Seal does nothing on this system.
func Seal() {}

// EndChildren does nothing: this system can end only a process group, which the caller has
// done.
func EndChildren(time.Duration) {}

// Mark does nothing on this system.
func Mark(*exec.Cmd) {}

func helpTry() int { return 1 }

func helpMark([]string) int { return 1 }

func childOfHelper() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

func redirect(from, to int) error { return unix.Dup2(from, to) }
