package git

import (
	"os/exec"
	"runtime"
	"syscall"
)

// run runs git, which ends with this process even if that is killed. It starts no programs of
// its own.
func run(cmd *exec.Cmd) error {
	// PR_SET_PDEATHSIG applies to the thread that has started a process, so it must stay.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
	return cmd.Run()
}
