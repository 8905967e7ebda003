//go:build amd64 || arm64

package world

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// needed are the capabilities that a helper needs to build a world. It has them only in
// its new user namespace, and [Seal] drops them.
var needed = []uintptr{
	unix.CAP_SYS_ADMIN, unix.CAP_NET_ADMIN, unix.CAP_SETPCAP, unix.CAP_SYS_CHROOT, unix.CAP_DAC_OVERRIDE,
	unix.CAP_FOWNER, unix.CAP_KILL, unix.CAP_SYS_RESOURCE,
}

// Attributes returns the attributes to start the helper of a world with: new namespaces,
// and the same user.
func Attributes() *syscall.SysProcAttr {
	uid, gid := os.Geteuid(), os.Getegid()
	return &syscall.SysProcAttr{
		Cloneflags:  unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWNET | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: uid, HostID: uid, Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: gid, HostID: gid, Size: 1}},
		AmbientCaps: needed, // without this, exec drops them for a user who is not root
	}
}
