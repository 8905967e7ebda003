package leash

import (
	"os"
	"os/exec"
	"sync"
	"syscall"

	"redline/internal/cgroup"
)

const cgroupPrefix = "redline-command-"

// delegated reports whether this process may create cgroups below its own and start
// processes in them. It removes the cgroups that ended processes have left there.
var delegated = sync.OnceValue(func() bool {
	parent := cgroup.Own()
	if parent == "" {
		return false
	}
	g := cgroup.Make(parent, cgroupPrefix)
	if g == nil {
		return false
	}
	defer g.Remove()
	cgroup.RemoveStale(parent, cgroupPrefix)
	cmd := exec.Command(Self(), tryArg) // ends at once, since it is not in a namespace
	cmd.Args[0] = os.Args[0]
	cmd.SysProcAttr = &syscall.SysProcAttr{UseCgroupFD: true, CgroupFD: g.FD()}
	if own.start(cmd) != nil { // the kernel or the container lacks clone3
		return false
	}
	_ = cmd.Wait() // its result does not matter
	own.forget(cmd.Process.Pid)
	return true
})
