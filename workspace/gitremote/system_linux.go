package gitremote

import "syscall"

// attributes makes the kernel kill git if this process is killed.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
}
