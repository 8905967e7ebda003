package runner

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// mount makes the sealed files read-only for this process and for everything that it
// starts, and pins the folders above them: a mount point can be neither renamed nor
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

// readOnly makes the mount at name, and those below it, read-only.
func readOnly(name string) error {
	err := unix.MountSetattr(unix.AT_FDCWD, name, unix.AT_RECURSIVE, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY})
	if err != unix.ENOSYS {
		return err
	}
	var is unix.Statfs_t // a kernel before 5.12: keep the flags that are set
	if err := unix.Statfs(name, &is); err != nil {
		return err
	}
	keep := uintptr(is.Flags) & (unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC | unix.MS_NOATIME | unix.MS_NODIRATIME | unix.MS_RELATIME)
	return unix.Mount("", name, "", unix.MS_REMOUNT|unix.MS_BIND|unix.MS_RDONLY|keep, "")
}

// writable reports whether this user may create entries in a folder.
func writable(dir string) bool { return unix.Access(dir, unix.W_OK) == nil || os.Geteuid() == 0 }

// noPrivileges keeps this process and everything that it starts from gaining privileges.
func noPrivileges() { _ = unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) }
