package runner

import (
	"bytes"
	"os"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// adopt has every process that loses its parent below this one become its child,
// so that none gets away; and none can gain privileges.
func adopt() {
	_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
	_ = unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
}

// endStrays ends what the command has left behind, also what has left its group.
func endStrays() {
	me := os.Getpid()
	for end := time.Now().Add(grace / 2); time.Now().Before(end); {
		for _, pid := range childrenOf(me) {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		got, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
		if err == syscall.ECHILD {
			return // there are none, and what they have left behind would be
		}
		if got == 0 {
			time.Sleep(time.Millisecond)
		}
	}
}

// childrenOf returns the processes whose parent is the given one.
func childrenOf(parent int) []int {
	proc, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer proc.Close()
	names, _ := proc.Readdirnames(-1)
	var children []int
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		stat, err := os.ReadFile("/proc/" + name + "/stat")
		if err != nil {
			continue // it has gone
		}
		// "pid (name) state parent …", and a name may have anything in it
		fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
		if len(fields) > 1 && string(fields[1]) == strconv.Itoa(parent) {
			children = append(children, pid)
		}
	}
	return children
}
