package runner

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// undoing are the capabilities of root that undo the limits of a command, or reach around
// them: changing mounts, tracing the helper, opening a file by its number, devices and the
// kernel itself. A command that is limited does without them; what root does to files, to
// users and in the network needs others.
var undoing = []uint{
	unix.CAP_SYS_ADMIN, unix.CAP_SYS_PTRACE, unix.CAP_DAC_READ_SEARCH, unix.CAP_MKNOD,
	unix.CAP_SYS_MODULE, unix.CAP_SYS_RAWIO, unix.CAP_SYS_BOOT, unix.CAP_SYS_TIME, unix.CAP_SYS_PACCT, unix.CAP_SYSLOG,
	unix.CAP_MAC_ADMIN, unix.CAP_MAC_OVERRIDE, unix.CAP_AUDIT_CONTROL,
	unix.CAP_BPF, unix.CAP_PERFMON, unix.CAP_CHECKPOINT_RESTORE,
}

// dropRights takes the capabilities in undoing from this thread and all that it starts. It
// holds for root too, since no_new_privs keeps an exec from giving them back.
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
