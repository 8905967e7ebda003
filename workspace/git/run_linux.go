package git

import (
	"os/exec"
	"runtime"
	"syscall"
)

// run runs git, and the kernel kills git if this process is killed. With our settings git
// starts no programs.
func run(cmd *exec.Cmd) error {
	// PR_SET_PDEATHSIG refers to the thread that started the process, so that thread must
	// live as long as git.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
	return cmd.Run()
}
