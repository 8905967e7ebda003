package leash

import (
	"os"
	"os/exec"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"

	"redline/internal/cgroup"
)

// Start starts cmd, which must be a helper of this program: one that calls [Enter] with the
// same way before anything else. It keeps the fields of cmd.SysProcAttr that are set. If
// way is Namespace and the kernel refuses, the error is the kernel's, and nothing was
// started.
func Start(cmd *exec.Cmd, way Way) (*Process, error) {
	p := &Process{Way: way, cmd: cmd, done: make(chan struct{})}
	p.prepare()
	started := make(chan error)
	go func() {
		// PR_SET_PDEATHSIG applies to the thread that started a process, not to this
		// process, so the thread must live as long as the helper.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := own.start(cmd)
		started <- err
		if err != nil {
			return
		}
		p.err = cmd.Wait()
		own.forget(cmd.Process.Pid)
		p.group.Kill()
		if way != Namespace {
			own.sweep()
		}
		p.group.Remove()
		close(p.done)
	}()
	if err := <-started; err != nil {
		p.group.Remove()
		return nil, err
	}
	return p, nil
}

// prepare sets the attributes of cmd for starting the helper.
func (p *Process) prepare() {
	if p.cmd.SysProcAttr == nil {
		p.cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	attr := p.cmd.SysProcAttr
	attr.Setsid = true // no terminal, and out of reach of its signals
	if p.Way != Namespace {
		// A stopped helper continues when this process ends, and then ends what it has
		// started.
		attr.Pdeathsig = syscall.SIGCONT
		_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) // for the whole process
		if p.Way == Cgroup {
			p.group = cgroup.Make(cgroup.Own(), cgroupPrefix)
		}
		if p.group != nil {
			attr.UseCgroupFD, attr.CgroupFD = true, p.group.FD()
		}
		return
	}
	attr.Pdeathsig = syscall.SIGKILL
	attr.Cloneflags |= unix.CLONE_NEWPID | unix.CLONE_NEWNS
	if !needsUser() {
		return
	}
	uid, gid := os.Geteuid(), os.Getegid()
	attr.Cloneflags |= unix.CLONE_NEWUSER
	attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: uid, HostID: uid, Size: 1}}
	attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: gid, HostID: gid, Size: 1}}
	attr.AmbientCaps = append(attr.AmbientCaps, unix.CAP_SYS_ADMIN) // else exec drops it
}

// needsUser reports whether this process needs a user namespace of its own to create other
// namespaces.
func needsUser() bool { return !capable(unix.CAP_SYS_ADMIN) }

// capable reports whether this process has a capability.
func capable(which uint) bool {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	return unix.Capget(&header, &data[0]) == nil && data[which/32].Effective&(1<<(which%32)) != 0
}
