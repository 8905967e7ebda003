//go:build unix

package commands

import (
	"os/exec"
	"syscall"
	"time"
)

// ownGroup makes a command start in a process group of its own, which ends with it.
func ownGroup(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
	c.WaitDelay = time.Second
}
