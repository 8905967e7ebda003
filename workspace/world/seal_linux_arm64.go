package world

import "golang.org/x/sys/unix"

// The filter of system calls: the architecture, and the first number that it cannot have.
const (
	auditArch = 0xC00000B7 // AUDIT_ARCH_AARCH64
	lastCall  = 0x40000000
)

// inotify are the calls that watch files.
var inotify = []uint32{unix.SYS_INOTIFY_INIT1}
