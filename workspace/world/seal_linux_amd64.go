package world

// The filter of system calls: the architecture, and the first number that is not of its usual
// ABI (those of x32 have this bit).
const (
	auditArch = 0xC000003E // AUDIT_ARCH_X86_64
	lastCall  = 0x40000000
)
