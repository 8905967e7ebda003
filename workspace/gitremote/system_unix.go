//go:build unix

package gitremote

import (
	"os/exec"
	"runtime"
	"syscall"
)

// run runs git in a session of its own, where no terminal can be asked, and kills all of it at
// the end of the context.
func run(cmd *exec.Cmd) error {
	runtime.LockOSThread() // the kernel kills git with the thread that started it
	defer runtime.UnlockOSThread()
	cmd.SysProcAttr = attributes()
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	return cmd.Run()
}
