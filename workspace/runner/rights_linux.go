package runner

import (
	"fmt"

	"golang.org/x/sys/unix"
)

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
