package git

import (
	"io/fs"
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

// statOf returns what the index would remember of a file.
func statOf(info fs.FileInfo) (stat, bool) {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return stat{}, false
	}
	return stat{ctime: s.Ctim.Nano(), mtime: s.Mtim.Nano(), inode: s.Ino, size: uint64(s.Size)}, true
}
