package leash

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

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

// Enter prepares this process, a helper, for its way. The caller must have locked its
// goroutine to its thread, and that thread must start all that the helper starts.
func Enter(way Way) error {
	if way != Namespace {
		mark()
		_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
		return nil
	}
	if os.Getpid() != 1 {
		return errors.New("it is not the first process of a PID namespace")
	}
	// Later mounts of the user appear here; mounts made here appear nowhere else.
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_SLAVE, ""); err != nil {
		return fmt.Errorf("its mounts cannot be told apart from others: %w", err)
	}
	// Programs look up themselves and others by the process ids of the namespace.
	if err := unix.Mount("proc", "/proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, ""); err != nil {
		return fmt.Errorf("/proc cannot be mounted for it: %w", err)
	}
	return nil
}

// Seal takes the right to change mounts, which Enter needed, from all that this process, a
// helper, starts from now on, and keeps it from inspecting the helper. Like Enter it
// applies to the calling thread.
func Seal() {
	_ = unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
	_ = unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0)
}

// masked reports whether a part of /proc is hidden or read-only here, as in containers. A
// newly mounted /proc would reveal it.
func masked() bool {
	list, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return true
	}
	for line := range strings.Lines(string(list)) {
		before, after, _ := strings.Cut(line, " - ")
		fields := strings.Fields(before)
		kind, _, _ := strings.Cut(after, " ")
		if len(fields) > 4 && strings.HasPrefix(fields[4], "/proc/") && !slices.Contains(usualInProc, kind) {
			return true
		}
	}
	return false
}

// usualInProc are the file systems mounted in /proc when nothing is hidden.
var usualInProc = []string{"autofs", "binfmt_misc", "nfsd", "rpc_pipefs"}

// childOfHelper returns the attributes with which a helper starts its program: in a process
// group of its own, and killed with the helper.
func childOfHelper() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

func redirect(from, to int) error { return unix.Dup3(from, to, 0) }

// Supports reports what this system can do. The first call tries it out, which takes a few
// milliseconds.
var Supports = sync.OnceValue(func() Support {
	s := Support{UserNS: needsUser(), Else: Swept}
	if delegated() {
		s.Else = Cgroup
	}
	switch {
	case os.Geteuid() == 0 && s.UserNS:
		s.Reason = "root here lacks CAP_SYS_ADMIN"
	case masked():
		s.Reason = maskedProc
	default:
		if err := try(); err != nil {
			s.Reason = err.Error()
		}
	}
	if s.Way = Namespace; s.Reason != "" {
		s.Way = s.Else
	}
	return s
})

// tryTime bounds how long a helper may take to report that it works.
const tryTime = 5 * time.Second

// try starts a helper in namespaces that does nothing. The error is a part of a sentence.
func try() error {
	cmd := exec.Command(Self(), tryArg)
	cmd.Args[0] = os.Args[0]
	cmd.Dir, cmd.Env = "/", []string{"PATH=" + os.Getenv("PATH")}
	var said bytes.Buffer
	cmd.Stderr = &said
	cmd.WaitDelay = time.Second
	p, err := Start(cmd, Namespace)
	if err != nil {
		return Refused(err)
	}
	timer := time.AfterFunc(tryTime, p.Kill)
	defer timer.Stop()
	if p.Wait() == nil {
		return nil
	}
	why := strings.TrimSpace(said.String())
	if why == "" || strings.Contains(why, "\n") {
		why = "a helper in namespaces did not start"
	}
	return Refused(errors.New(why))
}

// helpTry is the main function of try's helper.
func helpTry() int {
	runtime.LockOSThread()
	if err := Enter(Namespace); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

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

// Refused explains the error of a helper that failed to start in namespaces, or that
// failed to set itself up in them.
func Refused(err error) *Refusal {
	errno, started := errors.AsType[syscall.Errno](err)
	why := err.Error()
	if started {
		why = "the system refuses namespaces: " + errno.Error()
	}
	switch {
	case errno == syscall.ENOSPC:
		return noMore()
	case !denied(why):
		return &Refusal{Why: why}
	case needsUser() && setting("kernel.apparmor_restrict_unprivileged_userns") == "1":
		return &Refusal{
			Why: why + "; AppArmor lets only programs with a profile use user namespaces (kernel.apparmor_restrict_unprivileged_userns = 1)",
			Do:  "install a profile for Redline: `redline doctor --apparmor` prints it, and how to install it",
		}
	case needsUser() && setting("kernel.unprivileged_userns_clone") == "0":
		return &Refusal{
			Why: why + "; only root can use user namespaces (kernel.unprivileged_userns_clone = 0)",
			Do:  "an administrator can change that: sysctl -w kernel.unprivileged_userns_clone=1",
		}
	case masked():
		return &Refusal{Why: why + "; " + maskedProc, Do: "run Redline outside of the container, or start the container with all of /proc and a seccomp filter that allows user namespaces and mounts"}
	case filtered():
		return &Refusal{Why: why + "; a seccomp filter limits this process, as in most containers", Do: "run Redline outside of the container, or start the container with a filter that allows user namespaces and mounts"}
	}
	return &Refusal{Why: why, Do: "ask who administers this system whether user namespaces are allowed: a security module may refuse them"}
}

// maskedProc is the reason if [masked] returns true.
const maskedProc = "parts of /proc are hidden here, as in most containers"

// denied reports whether an error is a lack of permission. It compares the text, since a
// helper's error arrives as text.
func denied(why string) bool {
	return strings.HasSuffix(why, syscall.EPERM.Error()) || strings.HasSuffix(why, syscall.EACCES.Error())
}

// noMore returns a refusal if the limits on namespaces are reached. A limit of 0 switches
// them off.
func noMore() *Refusal {
	for _, kind := range []string{"user", "mnt", "pid", "net", "ipc", "uts"} {
		name := "user.max_" + kind + "_namespaces"
		if setting(name) == "0" {
			return &Refusal{
				Why: fmt.Sprintf("namespaces are switched off here: %s = 0", name),
				Do:  fmt.Sprintf("an administrator can switch them on: sysctl -w %s=15000", name),
			}
		}
	}
	return &Refusal{
		Why: "the system allows no more namespaces",
		Do:  "an administrator can raise the limits: user.max_user_namespaces, max_mnt_namespaces and max_pid_namespaces (sysctl)",
	}
}

// setting returns a kernel setting, "" if the kernel has none of that name.
func setting(name string) string {
	value, err := os.ReadFile("/proc/sys/" + strings.ReplaceAll(name, ".", "/"))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(value))
}

// filtered reports whether a seccomp filter limits this process.
func filtered() bool {
	status, err := os.ReadFile("/proc/self/status")
	return err == nil && strings.Contains(string(status), "\nSeccomp:\t2\n")
}
