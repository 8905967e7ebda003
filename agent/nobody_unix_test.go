//go:build unix

package agent_test

import (
	"os/exec"
	"syscall"
)

// asNobody has a command run without the rights of root.
func asNobody(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
}
