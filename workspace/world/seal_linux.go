//go:build amd64 || arm64

package world

import (
	"errors"
	"fmt"
	"runtime"
	"syscall"
	"unsafe"

	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// Seal drops all capabilities of the calling thread and of everything that it starts from
// now on, and blocks the system calls that could reach outside the world. The goroutine
// must be locked to its thread. In a world of the kind [Bwrap], bwrap has already dropped
// the capabilities, and Seal only checks that.
func Seal(w World) error {
	drop := dropCapabilities
	if w.Kind == Bwrap {
		drop = haveNone
	}
	if err := drop(); err != nil {
		return err
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("it could gain rights: %w", err)
	}
	_ = unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0)
	if w.HostNetwork && w.Kind != Bwrap { // whose worlds have no such sockets at all
		if err := scopeSockets(); err != nil {
			return err
		}
	}
	if err := filter(w.Kind); err != nil {
		return fmt.Errorf("its system calls cannot be limited: %w", err)
	}
	return nil
}

// scopeSockets keeps this thread and everything that it starts from abstract sockets, which belong to
// the network: it reaches only the sockets of programs that it starts.
func scopeSockets() error {
	fd, err := ll.LandlockCreateRuleset(&ll.RulesetAttr{Scoped: ll.ScopeAbstractUnixSocket}, 0)
	if err == nil {
		defer unix.Close(fd)
		err = ll.LandlockRestrictSelf(fd, 0)
	}
	if err != nil {
		return fmt.Errorf("with the host's network it could reach abstract sockets, and only Landlock from ABI 6 (Linux 6.12) keeps it from that: %w", err)
	}
	return nil
}

// haveNone returns an error if this process has capabilities.
func haveNone() error {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var has [2]unix.CapUserData
	if err := unix.Capget(&header, &has[0]); err != nil {
		return fmt.Errorf("its rights are not known: %w", err)
	}
	if has != [2]unix.CapUserData{} {
		return errors.New("bwrap has left it rights of root")
	}
	return nil
}

// dropCapabilities drops the capabilities of this thread and of everything that it
// starts.
func dropCapabilities() error {
	for c := uintptr(0); c <= unix.CAP_LAST_CAP; c++ {
		_ = unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0) // fails for capabilities that the kernel does not know
	}
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return fmt.Errorf("its rights cannot be dropped: %w", err)
	}
	// Root does not get them back by exec either: NOROOT, NO_SETUID_FIXUP and
	// NO_CAP_AMBIENT_RAISE, each with its lock.
	const noRoot = 1<<0 | 1<<1 | 1<<2 | 1<<3 | 1<<6 | 1<<7
	if err := unix.Prctl(unix.PR_SET_SECUREBITS, noRoot, 0, 0, 0); err != nil {
		return fmt.Errorf("its rights cannot be dropped for good: %w", err)
	}
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	if err := unix.Capset(&header, &none[0]); err != nil {
		return fmt.Errorf("its rights cannot be dropped: %w", err)
	}
	return nil
}

// refused are system calls that no build needs. They change mounts and namespaces, reach
// the keys of the session, or give the kernel programs to run. Those on processes and
// files would fail in a world anyway.
var refused = []uintptr{
	unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT, unix.SYS_UNSHARE, unix.SYS_SETNS,
	unix.SYS_OPEN_TREE, unix.SYS_MOVE_MOUNT, unix.SYS_FSOPEN, unix.SYS_FSMOUNT, unix.SYS_FSCONFIG, unix.SYS_FSPICK, unix.SYS_MOUNT_SETATTR,
	unix.SYS_KEYCTL, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY, unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD,
	unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER,
	unix.SYS_KEXEC_LOAD, unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE, unix.SYS_REBOOT,
	unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_ACCT, unix.SYS_QUOTACTL, unix.SYS_SETTIMEOFDAY, unix.SYS_CLOCK_SETTIME, unix.SYS_ADJTIMEX,
	unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_NAME_TO_HANDLE_AT, unix.SYS_FANOTIFY_INIT,
	unix.SYS_SYSLOG, unix.SYS_LOOKUP_DCOOKIE,
}

// families are the socket families that programs may use: local sockets, and those of the
// world's own network.
var families = []uint32{unix.AF_UNIX, unix.AF_INET, unix.AF_INET6, unix.AF_NETLINK}

// newNamespaces are the flags of clone that create a namespace.
const newNamespaces = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC | unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET

// keepFromBinds blocks calls that reach the host through read-only bind mounts, or use up
// what this user has. It allows
// Unix sockets only as connected pairs, of types that cannot be connected to others.
// Locking a file succeeds and does nothing, since programs fail if they cannot lock their
// files.
func (p *program) keepFromBinds() {
	p.argument(unix.SYS_SOCKETPAIR, offArg1, func() {
		p.add(unix.BPF_ALU|unix.BPF_AND|unix.BPF_K, 0, 0, 0xf) // ignore SOCK_CLOEXEC and other flags
		p.unlessAny([]uint32{unix.SOCK_STREAM, unix.SOCK_SEQPACKET}, errno(unix.EAFNOSUPPORT))
	})
	for _, call := range inotify { // no namespace limits how much of the user's share it takes
		p.when(call, errno(unix.EMFILE))
	}
	p.when(unix.SYS_FLOCK, errno(0))
	p.argument(unix.SYS_FCNTL, offArg1, func() {
		for _, lock := range []uint32{unix.F_SETLK, unix.F_SETLKW, unix.F_OFD_SETLK, unix.F_OFD_SETLKW} {
			p.when(lock, errno(0))
		}
		p.when(unix.F_SETLEASE, errno(unix.EPERM))
		p.when(unix.F_NOTIFY, errno(unix.EPERM))
	})
}

// Offsets in struct seccomp_data; those of arguments are of the lower half on a
// little-endian processor.
const (
	offNumber = 0
	offArch   = 4
	offArg0   = 16
	offArg1   = 24
)

// filter sets a seccomp filter for this thread and everything that it starts
// (seccomp(2)).
func filter(kind Kind) error {
	p, families := &program{}, families
	p.load(offArch)
	p.unless(auditArch, unix.SECCOMP_RET_KILL_PROCESS)
	p.load(offNumber)
	p.above(lastCall, errno(unix.ENOSYS))       // calls of another ABI
	p.when(unix.SYS_CLONE3, errno(unix.ENOSYS)) // a filter cannot read its flags, which are in memory; programs fall back to clone
	p.argument(unix.SYS_CLONE, offArg0, func() { p.whenAny(newNamespaces, errno(unix.EPERM)) })
	p.argument(unix.SYS_PRLIMIT64, offArg0, func() { p.when(1, errno(unix.EPERM)) }) // the helper, which reads what the command leaves
	p.argument(unix.SYS_IOCTL, offArg1, func() { p.when(unix.TIOCSTI, errno(unix.EPERM)) })
	if kind == Bwrap {
		families = families[1:]
		p.keepFromBinds()
	}
	p.argument(unix.SYS_SOCKET, offArg0, func() {
		p.unlessAny(families, errno(unix.EAFNOSUPPORT))
	})
	for _, call := range refused {
		p.when(uint32(call), errno(unix.EPERM))
	}
	p.refuse(unix.SECCOMP_RET_ALLOW)

	prog := unix.SockFprog{Len: uint16(len(p.code)), Filter: &p.code[0]}
	_, _, e := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&prog)))
	runtime.KeepAlive(p)
	if e != 0 {
		return e
	}
	return nil
}

func errno(e syscall.Errno) uint32 { return unix.SECCOMP_RET_ERRNO | uint32(e) }

// program is a seccomp filter under construction.
type program struct{ code []unix.SockFilter }

func (p *program) add(code uint16, yes, no uint8, k uint32) {
	p.code = append(p.code, unix.SockFilter{Code: code, Jt: yes, Jf: no, K: k})
}

func (p *program) load(offset uint32) { p.add(unix.BPF_LD|unix.BPF_W|unix.BPF_ABS, 0, 0, offset) }

func (p *program) refuse(answer uint32) { p.add(unix.BPF_RET|unix.BPF_K, 0, 0, answer) }

// when returns answer if the loaded value is k; unless, if it is not k; above, if it is
// at least k; whenAny, if it has one of the bits of k.
func (p *program) when(k, answer uint32) {
	p.add(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, 0, 1, k)
	p.refuse(answer)
}

func (p *program) unless(k, answer uint32) {
	p.add(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, 1, 0, k)
	p.refuse(answer)
}

// unlessAny returns answer if the loaded value is none of the values.
func (p *program) unlessAny(values []uint32, answer uint32) {
	for i, v := range values { // skip the other comparisons and the answer
		p.add(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, uint8(len(values)-i), 0, v)
	}
	p.refuse(answer)
}

func (p *program) above(k, answer uint32) {
	p.add(unix.BPF_JMP|unix.BPF_JGE|unix.BPF_K, 0, 1, k)
	p.refuse(answer)
}

func (p *program) whenAny(k, answer uint32) {
	p.add(unix.BPF_JMP|unix.BPF_JSET|unix.BPF_K, 0, 1, k)
	p.refuse(answer)
}

// argument runs examine on an argument of a system call, then loads the number of the
// call again.
func (p *program) argument(call, offset uint32, examine func()) {
	jump := len(p.code)
	p.add(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, 0, 0, call)
	p.load(offset)
	examine()
	p.load(offNumber)
	p.code[jump].Jf = uint8(len(p.code) - jump - 1)
}

// Limit limits the resources of process pid and of everything that it starts later. Where it is read what
// the command leaves, no file has a limit of its own: it would be cut off, and nobody would know.
func Limit(pid int, w World) error {
	if w.Captured {
		w.Disk = 0
	}
	limits := map[int]uint64{unix.RLIMIT_CORE: 0}
	for limit, max := range map[int]int64{unix.RLIMIT_NPROC: int64(w.Processes), unix.RLIMIT_FSIZE: w.Disk, unix.RLIMIT_DATA: w.Memory} {
		if max > 0 {
			limits[limit] = uint64(max)
		}
	}
	for limit, max := range limits {
		if err := unix.Prlimit(pid, limit, &unix.Rlimit{Cur: max, Max: max}, nil); err != nil {
			return fmt.Errorf("what it uses cannot be limited: %w", err)
		}
	}
	return nil
}
