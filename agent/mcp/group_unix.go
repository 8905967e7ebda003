//go:build unix

package mcp

import (
	"os/exec"
	"syscall"
)

// inGroup has a program run in a process group of its own.
func inGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killGroup kills a program with all that it has started.
func killGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) } // nothing left to kill is as good
