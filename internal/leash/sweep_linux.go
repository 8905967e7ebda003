package leash

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// sweepTime bounds how long a sweep takes. The next one finds what is left.
const sweepTime = 10 * time.Second

// own are the helpers that this process has started and not yet waited for.
var own = helpers{pids: map[int]bool{}}

// helpers keeps the children that this process started, to tell them from those that it
// adopted.
type helpers struct {
	mu       sync.Mutex
	pids     map[int]bool
	sweeping sync.Mutex
}

// start starts a helper and records it, so that no sweep takes it for an adopted process.
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

// sweep ends all processes that this process has adopted from ended helpers. It touches
// only its own children, none that it has started itself, and only those with the mark of a
// helper: other code in this process that waits for its children is not disturbed.
func (h *helpers) sweep() {
	h.sweeping.Lock()
	defer h.sweeping.Unlock()
	for end := time.Now().Add(sweepTime); time.Now().Before(end); {
		if childless() || !h.round(quickChildren()) && !h.round(childrenOf(os.Getpid())) {
			return
		}
	}
}

// round kills the adopted processes among the children, and reports whether there were
// any.
func (h *helpers) round(children []int) (found bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, pid := range children {
		if h.pids[pid] || !marked(pid) {
			continue
		}
		found = true
		_ = syscall.Kill(pid, syscall.SIGKILL)
		_, _ = syscall.Wait4(pid, nil, syscall.WNOHANG, nil) // only this child: others wait for theirs
	}
	return found
}

// EndChildren kills all children of this process, which must be a helper, and everything
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
				return // no children are left; orphans would be among them
			}
			if got <= 0 && err != syscall.EINTR {
				break
			}
		}
	}
}

// childless reports whether this process has no children, without reaping any.
func childless() bool {
	return unix.Waitid(unix.P_ALL, 0, nil, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil) == unix.ECHILD
}

// The mark of a helper is a hard limit slightly lower than that of this process. Everything
// that a helper starts inherits it and cannot remove it: only root can raise the limit
// again. It is the limit on message queues, which hardly any program uses.
const markLimit, markLine = unix.RLIMIT_MSGQUEUE, "Max msgqueue size"

// mark marks this process, which must be a helper.
func mark() {
	var limit unix.Rlimit
	if unix.Getrlimit(markLimit, &limit) != nil || limit.Max == 0 {
		return
	}
	limit.Max = min(limit.Max-1, 1<<40)
	limit.Cur = min(limit.Cur, limit.Max)
	_ = unix.Setrlimit(markLimit, &limit)
}

// Mark makes cmd start as a marked process. Use it for a program that starts a helper of
// this program: if the program is killed before it does, its processes are still found
// when the other helpers end.
func Mark(cmd *exec.Cmd) {
	cmd.Args = append([]string{os.Args[0], markArg, cmd.Path}, cmd.Args[1:]...)
	cmd.Path = Self()
}

// helpMark runs a program, marked, in the place of this one.
func helpMark(command []string) int {
	mark()
	if err := syscall.Exec(command[0], command, os.Environ()); err != nil {
		fmt.Fprintf(os.Stderr, "redline: %s cannot be run: %s\n", command[0], err)
	}
	return 1
}

// marked reports whether a process has the mark of a helper of this process.
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
	fields := bytes.Fields(line) // soft limit, hard limit, unit
	if len(fields) < 2 {
		return false
	}
	hard, err := strconv.ParseUint(string(fields[1]), 10, 64) // "unlimited" is no number, and no mark
	return err == nil && hard < mine.Max
}

// quickChildren returns children of this process, maybe not all, in about the time needed
// to start a process. It returns nil if the kernel does not list them.
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
			continue // the thread has ended
		}
		for _, word := range bytes.Fields(list) {
			if pid, err := strconv.Atoi(string(word)); err == nil {
				children = append(children, pid)
			}
		}
	}
	return children
}

// childrenOf returns the processes with the given parent.
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
			continue // the process has ended
		}
		// The format is "pid (name) state parent …", and a name may contain anything.
		fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
		if len(fields) > 1 && string(fields[1]) == strconv.Itoa(parent) {
			children = append(children, pid)
		}
	}
	return children
}
