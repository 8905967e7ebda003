package world

import "golang.org/x/sys/unix"

// The filter of system calls: the architecture, and the first number that is not of its usual
// ABI (those of x32 have this bit).
const (
	auditArch = 0xC000003E // AUDIT_ARCH_X86_64
	lastCall  = 0x40000000
)

// inotify are the calls that watch files.
var inotify = []uint32{unix.SYS_INOTIFY_INIT, unix.SYS_INOTIFY_INIT1}
