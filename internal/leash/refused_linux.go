package leash

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
)

// Refused explains the error of a helper that failed to start in namespaces, or that
// failed to set itself up in them.
func Refused(err error) *Refusal {
	errno, started := errors.AsType[syscall.Errno](err)
	why := err.Error()
	if started {
		why = "the system refuses namespaces: " + errno.Error()
	}
	switch {
	case errno == syscall.ENOSPC:
		return noMore()
	case !denied(why):
		return &Refusal{Why: why}
	case needsUser() && setting("kernel.apparmor_restrict_unprivileged_userns") == "1":
		return &Refusal{
			Why: why + "; AppArmor lets only programs with a profile use user namespaces (kernel.apparmor_restrict_unprivileged_userns = 1)",
			Do:  "install a profile for Redline: `redline doctor --apparmor` prints it, and how to install it",
		}
	case needsUser() && setting("kernel.unprivileged_userns_clone") == "0":
		return &Refusal{
			Why: why + "; only root can use user namespaces (kernel.unprivileged_userns_clone = 0)",
			Do:  "an administrator can change that: sysctl -w kernel.unprivileged_userns_clone=1",
		}
	case masked():
		return &Refusal{Why: why + "; " + maskedProc, Do: "run Redline outside of the container, or start the container with all of /proc and a seccomp filter that allows user namespaces and mounts"}
	case filtered():
		return &Refusal{Why: why + "; a seccomp filter limits this process, as in most containers", Do: "run Redline outside of the container, or start the container with a filter that allows user namespaces and mounts"}
	}
	return &Refusal{Why: why, Do: "ask who administers this system whether user namespaces are allowed: a security module may refuse them"}
}

// maskedProc is the reason if [masked] returns true.
const maskedProc = "parts of /proc are hidden here, as in most containers"

// denied reports whether an error is a lack of permission. It compares the text, since a
// helper's error arrives as text.
func denied(why string) bool {
	return strings.HasSuffix(why, syscall.EPERM.Error()) || strings.HasSuffix(why, syscall.EACCES.Error())
}

// noMore returns a refusal if the limits on namespaces are reached. A limit of 0 switches
// them off.
func noMore() *Refusal {
	for _, kind := range []string{"user", "mnt", "pid", "net", "ipc", "uts"} {
		name := "user.max_" + kind + "_namespaces"
		if setting(name) == "0" {
			return &Refusal{
				Why: fmt.Sprintf("namespaces are switched off here: %s = 0", name),
				Do:  fmt.Sprintf("an administrator can switch them on: sysctl -w %s=15000", name),
			}
		}
	}
	return &Refusal{
		Why: "the system allows no more namespaces",
		Do:  "an administrator can raise the limits: user.max_user_namespaces, max_mnt_namespaces and max_pid_namespaces (sysctl)",
	}
}

// setting returns a kernel setting, "" if the kernel has none of that name.
func setting(name string) string {
	value, err := os.ReadFile("/proc/sys/" + strings.ReplaceAll(name, ".", "/"))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(value))
}

// filtered reports whether a seccomp filter limits this process.
func filtered() bool {
	status, err := os.ReadFile("/proc/self/status")
	return err == nil && strings.Contains(string(status), "\nSeccomp:\t2\n")
}
