package leash

import (
	"bytes"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// sweepTime bounds how long a sweep takes. What is left then is found by the
// next one.
const sweepTime = 10 * time.Second

// own are the helpers that this process has started and not waited for.
var own = helpers{pids: map[int]bool{}}

// helpers keeps the children that this process started, to tell them from those that it
// adopted.
type helpers struct {
	mu       sync.Mutex
	pids     map[int]bool
	sweeping sync.Mutex
}

// start starts a helper and remembers it, so that no sweep takes it for a
// process that was adopted.
func (h *helpers) start(cmd *exec.Cmd) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := cmd.Start(); err != nil {
		return err
	}
	h.pids[cmd.Process.Pid] = true
	return nil
}

func (h *helpers) forget(pid int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.pids, pid)
}

// sweep ends all that this process has adopted from helpers that are gone. It
// touches no process but its own children, none that it has started itself, and
// only those that carry the mark of a helper: what else runs in this process, and
// waits for children of its own, is not disturbed.
func (h *helpers) sweep() {
	h.sweeping.Lock()
	defer h.sweeping.Unlock()
	for end := time.Now().Add(sweepTime); time.Now().Before(end); {
		if childless() || !h.round(quickChildren()) && !h.round(childrenOf(os.Getpid())) {
			return
		}
	}
}

// round ends those of the children that were adopted. It reports whether there
// were any.
func (h *helpers) round(children []int) (found bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, pid := range children {
		if h.pids[pid] || !marked(pid) {
			continue
		}
		found = true
		_ = syscall.Kill(pid, syscall.SIGKILL)
		_, _ = syscall.Wait4(pid, nil, syscall.WNOHANG, nil) // of this one only: others wait for theirs
	}
	return found
}

// EndChildren ends all children of this process, which must be a helper, and all
// that they leave behind. It gives up after the given time.
func EndChildren(within time.Duration) {
	me := os.Getpid()
	for end := time.Now().Add(within); !childless() && time.Now().Before(end); {
		children := quickChildren()
		if len(children) == 0 {
			children = childrenOf(me)
		}
		for _, pid := range children {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		for {
			got, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
			if err == syscall.ECHILD {
				return // there are none, and what they have left behind would be
			}
			if got <= 0 && err != syscall.EINTR {
				break
			}
		}
	}
}

// childless reports whether this process has no children, without taking leave of one
// that has ended.
func childless() bool {
	return unix.Waitid(unix.P_ALL, 0, nil, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil) == unix.ECHILD
}

// The mark of a helper, which all that it starts inherits and cannot take off, is
// a hard limit that is a little lower than that of this process. It is on queues
// of messages, which hardly any program uses; only root can raise it again.
const markLimit, markLine = unix.RLIMIT_MSGQUEUE, "Max msgqueue size"

// mark puts the mark on this process, which must be a helper.
func mark() {
	var limit unix.Rlimit
	if unix.Getrlimit(markLimit, &limit) != nil || limit.Max == 0 {
		return
	}
	limit.Max = min(limit.Max-1, 1<<40)
	limit.Cur = min(limit.Cur, limit.Max)
	_ = unix.Setrlimit(markLimit, &limit)
}

// marked reports whether a process carries the mark of a helper of this process.
func marked(pid int) bool {
	var mine unix.Rlimit
	if unix.Getrlimit(markLimit, &mine) != nil {
		return false
	}
	limits, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/limits")
	if err != nil {
		return false
	}
	_, line, _ := bytes.Cut(limits, []byte(markLine))
	line, _, _ = bytes.Cut(line, []byte("\n"))
	fields := bytes.Fields(line) // the soft limit, the hard one, a unit
	if len(fields) < 2 {
		return false
	}
	hard, err := strconv.ParseUint(string(fields[1]), 10, 64) // "unlimited" is no number, and no mark
	return err == nil && hard < mine.Max
}

// quickChildren returns children of this process, maybe not all of them, in the
// time that a process needs to start another. nil where the kernel does not say.
func quickChildren() (children []int) {
	threads, err := os.Open("/proc/self/task")
	if err != nil {
		return nil
	}
	defer threads.Close()
	names, _ := threads.Readdirnames(-1)
	for _, name := range names {
		list, err := os.ReadFile("/proc/self/task/" + name + "/children")
		if err != nil {
			continue // that thread has ended
		}
		for _, word := range bytes.Fields(list) {
			if pid, err := strconv.Atoi(string(word)); err == nil {
				children = append(children, pid)
			}
		}
	}
	return children
}

// childrenOf returns the processes whose parent is the given one.
func childrenOf(parent int) []int {
	proc, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer proc.Close()
	names, _ := proc.Readdirnames(-1)
	var children []int
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		stat, err := os.ReadFile("/proc/" + name + "/stat")
		if err != nil {
			continue // it has gone
		}
		// "pid (name) state parent …", and a name may have anything in it
		fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
		if len(fields) > 1 && string(fields[1]) == strconv.Itoa(parent) {
			children = append(children, pid)
		}
	}
	return children
}
