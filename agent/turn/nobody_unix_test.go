//go:build unix

package turn_test

import (
	"os/exec"
	"syscall"
)

// asNobody makes a command run without root's rights.
func asNobody(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
}
