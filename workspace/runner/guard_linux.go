package runner

import (
	"fmt"
	"os"

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
