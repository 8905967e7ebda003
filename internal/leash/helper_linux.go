package leash

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// Enter prepares this process, a helper, for its way. The caller must have locked its
// goroutine to its thread, and that thread must start all that the helper starts.
func Enter(way Way) error {
	if way != Namespace {
		mark()
		_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
		return nil
	}
	if os.Getpid() != 1 {
		return errors.New("it is not the first process of a PID namespace")
	}
	// Later mounts of the user appear here; mounts made here appear nowhere else.
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_SLAVE, ""); err != nil {
		return fmt.Errorf("its mounts cannot be told apart from others: %w", err)
	}
	// Programs look up themselves and others by the process ids of the namespace.
	if err := unix.Mount("proc", "/proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, ""); err != nil {
		return fmt.Errorf("/proc cannot be mounted for it: %w", err)
	}
	return nil
}

// Seal takes the right to change mounts, which Enter needed, from all that this process, a
// helper, starts from now on, and keeps it from inspecting the helper. Like Enter it
// applies to the calling thread.
func Seal() {
	_ = unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
	_ = unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0)
}

// masked reports whether a part of /proc is hidden or read-only here, as in containers. A
// newly mounted /proc would reveal it.
func masked() bool {
	list, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return true
	}
	for line := range strings.Lines(string(list)) {
		before, after, _ := strings.Cut(line, " - ")
		fields := strings.Fields(before)
		kind, _, _ := strings.Cut(after, " ")
		if len(fields) > 4 && strings.HasPrefix(fields[4], "/proc/") && !slices.Contains(usualInProc, kind) {
			return true
		}
	}
	return false
}

// usualInProc are the file systems mounted in /proc when nothing is hidden.
var usualInProc = []string{"autofs", "binfmt_misc", "nfsd", "rpc_pipefs"}

// childOfHelper returns the attributes with which a helper starts its program: in a process
// group of its own, and killed with the helper.
func childOfHelper() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

func redirect(from, to int) error { return unix.Dup3(from, to, 0) }
