package runner

import (
	"fmt"

	"github.com/landlock-lsm/go-landlock/landlock"
	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
)

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
