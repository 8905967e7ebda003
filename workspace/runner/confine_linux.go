package runner

import (
	"fmt"
	"os"
	"slices"

	"github.com/landlock-lsm/go-landlock/landlock"
	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// mount makes the sealed files read-only for this process and everything that it starts,
// and pins the folders above them by mounts: a mount point can be neither renamed nor
// removed.
func (g *guard) mount() error {
	for _, dir := range g.pin {
		if err := unix.Mount(dir, dir, "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
			return fmt.Errorf("%s: %w", dir, err)
		}
	}
	for _, name := range g.seal {
		if err := unix.Mount(name, name, "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if err := readOnly(name); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// writable reports whether this user may create entries in a folder.
func writable(dir string) bool { return unix.Access(dir, unix.W_OK) == nil || os.Geteuid() == 0 }

// noPrivileges prevents this process and everything that it starts from gaining
// privileges.
func noPrivileges() { _ = unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) }

// writing are the rights to limit: all that change a file or a directory. Reading,
// running programs and the network are not limited.
const writing = ll.AccessFSWriteFile | ll.AccessFSTruncate | ll.AccessFSRemoveDir | ll.AccessFSRemoveFile |
	ll.AccessFSMakeChar | ll.AccessFSMakeDir | ll.AccessFSMakeReg | ll.AccessFSMakeSock | ll.AccessFSMakeFifo |
	ll.AccessFSMakeBlock | ll.AccessFSMakeSym | ll.AccessFSRefer

// scopes is the first Landlock ABI that limits signals.
const scopes = 6

// Supports reports how this system can limit where a command writes.
func Supports() Confinement {
	abi, err := ll.LandlockGetABIVersion()
	switch {
	case err != nil || abi < 1:
		return Confinement{What: "this kernel has no Landlock, or it is switched off"}
	case abi < 3:
		return Confinement{true, fmt.Sprintf("Landlock, ABI %d; before ABI 3 a file elsewhere can still be truncated", abi)}
	}
	if abi < scopes {
		return Confinement{true, fmt.Sprintf("Landlock, ABI %d; before ABI %d other processes can still be sent signals", abi, scopes)}
	}
	return Confinement{true, fmt.Sprintf("Landlock, ABI %d", abi)}
}

// confine limits where this process and all processes that it starts from now on can
// write, and lets them send signals only to processes that they started. It cannot be
// undone.
func confine(g grants) error {
	c, err := landlock.NewConfig(landlock.AccessFSSet(writing), landlock.ScopedSet(ll.ScopeSignal))
	if err != nil {
		return err
	}
	return c.BestEffort().Restrict(
		landlock.PathAccess(landlock.AccessFSSet(writing), g.dirs...).IgnoreIfMissing(),
		landlock.PathAccess(landlock.AccessFSSet(ll.AccessFSWriteFile|ll.AccessFSTruncate), g.files...).IgnoreIfMissing(),
		landlock.PathAccess(landlock.AccessFSSet(ll.AccessFSWriteFile|ll.AccessFSTruncate), devices...).IgnoreIfMissing(),
	)
}

// undoing are the capabilities with which root could undo or bypass the limits of a
// command: changing mounts, tracing the helper, opening a file by its handle, devices and
// the kernel itself. A limited command works without them; root's work on files, users
// and the network needs others.
var undoing = []uint{
	unix.CAP_SYS_ADMIN, unix.CAP_SYS_PTRACE, unix.CAP_DAC_READ_SEARCH, unix.CAP_MKNOD,
	unix.CAP_SYS_MODULE, unix.CAP_SYS_RAWIO, unix.CAP_SYS_BOOT, unix.CAP_SYS_TIME, unix.CAP_SYS_PACCT, unix.CAP_SYSLOG,
	unix.CAP_MAC_ADMIN, unix.CAP_MAC_OVERRIDE, unix.CAP_AUDIT_CONTROL,
	unix.CAP_BPF, unix.CAP_PERFMON, unix.CAP_CHECKPOINT_RESTORE,
}

// dropRights drops the capabilities in undoing from this thread and everything that it
// starts. That works for root too, since no_new_privs keeps exec from restoring them.
func dropRights() error {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var has [2]unix.CapUserData
	if err := unix.Capget(&header, &has[0]); err != nil {
		return fmt.Errorf("its rights cannot be read: %w", err)
	}
	for _, c := range undoing {
		part, bit := &has[c/32], uint32(1)<<(c%32)
		part.Effective &^= bit
		part.Permitted &^= bit
		part.Inheritable &^= bit
	}
	if err := unix.Capset(&header, &has[0]); err != nil {
		return fmt.Errorf("its rights cannot be dropped: %w", err)
	}
	return nil
}

// readOnlyExcept makes all files read-only for this process and everything that it
// starts, except in the folders write, whose paths are absolute and without links. That
// also protects permissions, owners, times and attributes, which Landlock does not.
// Devices cannot be opened afterwards, except the usual ones. The process must be in its
// own mount namespace.
//
// It reports whether it did so. An error means that only some files are read-only: then
// the caller must start nothing.
func readOnlyExcept(write []string) (done bool, err error) {
	if slices.Contains(write, "/") {
		return false, nil
	}
	places := slices.Concat(outermost(write), devices)
	trees := make([]int, len(places))
	for i, name := range places { // with the mounts below, which keep their own flags
		fd, err := unix.OpenTree(unix.AT_FDCWD, name, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE|unix.AT_NO_AUTOMOUNT)
		if trees[i] = fd; err != nil && i < len(places)-len(devices) {
			return false, nil // nothing has changed: the kernel is older than 5.2, or the folder is gone
		}
		if err == nil {
			defer unix.Close(fd)
		}
	}
	for _, fd := range trees[len(places)-len(devices):] { // a device on a read-only mount can still be written to
		_ = unix.MountSetattr(fd, "", unix.AT_EMPTY_PATH, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY})
	}
	attr := &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY | unix.MOUNT_ATTR_NODEV}
	if unix.MountSetattr(unix.AT_FDCWD, "/", unix.AT_RECURSIVE, attr) != nil {
		return false, nil // all or nothing: the kernel is older than 5.12
	}
	for i, name := range places {
		if trees[i] < 0 {
			continue // this system has no such device
		}
		if err := unix.MoveMount(trees[i], "", unix.AT_FDCWD, name, unix.MOVE_MOUNT_F_EMPTY_PATH); err != nil {
			return false, fmt.Errorf("%s cannot be mounted for it: %w", name, err)
		}
	}
	return true, nil
}

// readOnly makes the mount at name, and those below it, read-only.
func readOnly(name string) error {
	err := unix.MountSetattr(unix.AT_FDCWD, name, unix.AT_RECURSIVE, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY})
	if err != unix.ENOSYS {
		return err
	}
	var is unix.Statfs_t // on a kernel before 5.12: keep the flags that are set
	if err := unix.Statfs(name, &is); err != nil {
		return err
	}
	keep := uintptr(is.Flags) & (unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC | unix.MS_NOATIME | unix.MS_NODIRATIME | unix.MS_RELATIME)
	return unix.Mount("", name, "", unix.MS_REMOUNT|unix.MS_BIND|unix.MS_RDONLY|keep, "")
}

// outermost returns the folders that are inside no other of them, sorted.
func outermost(dirs []string) (outer []string) {
	for _, dir := range slices.Sorted(slices.Values(dirs)) {
		if !slices.ContainsFunc(outer, func(o string) bool { return isIn(dir, o) }) {
			outer = append(outer, dir)
		}
	}
	return outer
}
