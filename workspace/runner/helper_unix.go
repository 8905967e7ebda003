//go:build unix

package runner

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"redline/internal/leash"
	"redline/workspace/world"
)

// HelperArg is the hidden subcommand that runs the program as its own helper.
const HelperArg = "run-command"

// IsHelper reports whether the program was started as a helper.
func IsHelper(args []string) bool {
	return len(args) == 2 && args[1] == HelperArg || len(args) == 3 && args[1] == ProbeArg || leash.IsHelper(args)
}

const (
	// politely is how long a command may take to exit after the first signal.
	politely = 200 * time.Millisecond
	// politelyKept is that for one whose files are kept: it may still have some to write.
	politelyKept = time.Second
)

// Help is the main function of a helper. It returns the helper's exit status; the status
// of the command goes to the parent process in a notice.
func Help() int {
	if leash.IsHelper(os.Args) {
		return leash.Help(os.Args)
	}
	if os.Args[1] == ProbeArg {
		return probeWorld(os.Args[2])
	}
	from, to := os.NewFile(3, "order"), os.NewFile(4, "notices")
	if _, err := from.Stat(); err != nil {
		fmt.Fprintln(os.Stderr, "redline: this subcommand is for Redline itself: it starts the commands that you have approved")
		return 2
	}
	keepFiles()
	leash.CatchSignals()
	say := json.NewEncoder(to)
	var o order
	lines := json.NewDecoder(from)
	if lines.Decode(&o) != nil {
		return 2 // the parent process has exited already
	}
	// Some of the following, such as the limits, applies to the calling thread only.
	runtime.LockOSThread()
	is, left, err := prepare(o)
	if err != nil {
		_ = say.Encode(notice{Error: err.Error()})
		return 1
	}
	haveThreads()
	var written *world.Written
	if o.World != nil {
		written = world.WatchWritten(*o.World)
	}
	live, err := liveFor(o)
	if err != nil {
		_ = say.Encode(notice{Error: err.Error()})
		return 1
	}
	pid, bounded, err := start(o)
	if err != nil {
		_ = say.Encode(notice{Error: fmt.Sprintf("the command could not be started: %s", err)})
		return 1
	}
	_ = say.Encode(notice{Started: pid, Confined: is.any(), ReadOnly: is.readOnly, Bounded: bounded})
	over := watch(o.World, bounded, left)
	heard := hearParent(lines, over)
	asked, enough, wanted := heard.end, heard.enough, heard.files
	status, ok := supervise(pid, heard, func(c changes) { _ = say.Encode(makeChanges(live, c)) })
	if o.Way != leash.Namespace { // a PID namespace ends with this process
		leash.EndChildren(grace / 2)
	}
	n := notice{Told: true, Ended: ok && !over.disk.Load(), Full: over.disk.Load(), Hungry: over.memory.Load(), Asked: closed(asked) || closed(enough)}
	if ok && status.Signaled() {
		n.Signal = status.Signal().String()
	} else if ok {
		n.Exit = status.ExitStatus()
	}
	n.Filled = left != nil && (over.filled.Load() || left.Filled())
	if left != nil && len(o.World.State.Keep) > 0 {
		sendState(left, n.Filled || n.Full, say)
	}
	if left != nil && o.World.Captured && (n.Ended || n.Full) {
		if err := capture(left, say, wanted, asked); err != nil {
			n.Error = err.Error()
		}
	}
	if o.World != nil {
		if !o.World.HostNetwork {
			n.Unreached = world.Unreached()
		}
		if written != nil {
			_ = syscall.Kill(-1, syscall.SIGKILL) // what else runs in the namespace could still write
			n.Written = written.Names()
		}
	}
	_ = say.Encode(n)
	return 0
}

// heard is what the parent process asks for.
type heard struct {
	end     chan struct{} // closed to ask for the end of the command
	enough  chan struct{} // closed if it has done its work or its time is over
	files   chan []int    // gets the files whose content is wanted
	changes chan changes  // gets changes of the world
	over    chan struct{} // closed when nobody takes changes any more
}

// hearParent reads what the parent process asks for while a command runs, and after it.
func hearParent(lines *json.Decoder, over *watched) heard {
	h := heard{make(chan struct{}), make(chan struct{}), make(chan []int, 1), make(chan changes), make(chan struct{})}
	go func() {
		defer close(h.end)
		for {
			var w wants
			switch err := lines.Decode(&w); {
			case err != nil: // the parent has closed it
				return
			case w.Change != nil:
				select {
				case h.changes <- *w.Change:
				case <-h.over:
				}
			case w.Kill:
				over.disk.Store(true)
				_ = syscall.Kill(-1, syscall.SIGKILL) // in this PID namespace
			case w.End && !closed(h.enough):
				close(h.enough)
			case !w.End:
				h.files <- w.Files
			}
		}
	}()
	return h
}

// liveFor opens the world of an order for changes, if there will be any.
func liveFor(o order) (*world.Live, error) {
	if !o.Live || o.World == nil {
		return nil, nil
	}
	return world.OpenLive(*o.World)
}

// makeChanges makes changes in the world, all that can be made.
func makeChanges(live *world.Live, c changes) notice {
	var failed []error
	for _, change := range c.Of {
		failed = append(failed, live.Change(change))
	}
	n := notice{Changed: c.Number}
	if err := errors.Join(failed...); err != nil {
		n.Error = strings.ReplaceAll(err.Error(), "\n", "; ")
	}
	return n
}

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// keepFiles marks this process's open files so that processes it starts do not inherit
// them: the helper's own, and files that an editor left open by mistake. Limits on
// writing do not cover files that are open already.
func keepFiles() {
	syscall.CloseOnExec(3)
	syscall.CloseOnExec(4)
	names, err := os.ReadDir("/dev/fd")
	if err != nil {
		return
	}
	for _, n := range names {
		if fd, err := strconv.Atoi(n.Name()); err == nil && fd > 2 {
			syscall.CloseOnExec(fd)
		}
	}
}

// prepare sets the limits that the command inherits from this process. In a world that will be read,
// left is what finds the files that it leaves there.
func prepare(o order) (is limits, left *world.Capture, err error) {
	if o.World != nil {
		if left, err = enter(*o.World); err != nil {
			return limits{}, nil, err
		}
		if o.Gate != 0 {
			if err := openGate(o.Peers, os.NewFile(uintptr(o.Gate), "listeners")); err != nil {
				return limits{}, nil, err
			}
		}
		_ = syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{})
		return limits{landlock: true, readOnly: true}, left, world.Seal(*o.World)
	}
	is, err = limit(o)
	return is, nil, err
}

// limit sets the limits of a command without a world.
func limit(o order) (is limits, err error) {
	if err := leash.Enter(o.Way); err != nil {
		return limits{}, err
	}
	noPrivileges()
	_ = syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{})
	write := realDirs(o.Write) // drop missing caches, and those that are files
	if o.Confine != ConfineOff {
		can := Supports()
		is.landlock = can.Supported && !o.MountsOnly
		if o.Way == leash.Namespace {
			if is.readOnly, err = readOnlyExcept(write); err != nil {
				return limits{}, fmt.Errorf("what it writes could not be limited (%w); the setting commands.namespaces can switch that off", err)
			}
		}
		if o.Confine == ConfineRequire && !is.any() {
			return limits{}, fmt.Errorf("what it writes cannot be limited (%s), and the setting commands.confine requires that", can.What)
		}
	}
	allowed, err := keepOwn(o, write, is)
	if err != nil {
		return limits{}, err
	}
	if is.landlock {
		if err := confine(allowed); err != nil {
			return limits{}, fmt.Errorf("what it writes could not be limited (%w); the setting commands.confine can switch that off", err)
		}
	}
	if o.Confine != ConfineOff { // also without Landlock: root could undo the mounts of Redline's own files
		if err := dropRights(); err != nil {
			return limits{}, err
		}
	}
	leash.Seal()
	return is, nil
}

// limits are the ways in which a command's writes are limited.
type limits struct {
	landlock bool // by Landlock
	readOnly bool // by read-only mounts: see [readOnlyExcept]
}

func (l limits) any() bool { return l.landlock || l.readOnly }

// keepOwn protects Redline's own files from the processes that this one starts. It
// returns the writable places, for Landlock to enforce.
func keepOwn(o order, write []string, is limits) (grants, error) {
	open := writable // nothing else limits where entries can be created
	within := func(dir string) bool {
		return slices.ContainsFunc(write, func(w string) bool { return isIn(dir, w) })
	}
	if is.any() {
		open = within
	}
	makeFolders(o.OwnFolders, within)
	own := slices.Concat(o.Own, o.OwnFolders)
	g := newGuard(slices.Concat(own, linked(own), hardLinked(own, write)), open)
	if o.Way == leash.Namespace {
		if err := g.mount(); err != nil {
			return grants{}, fmt.Errorf("the files of Redline itself could not be made read-only for it (%w)", err)
		}
		g.above = nil
		if is.landlock {
			return grant(write, g.carve, nil), nil
		}
	} else if is.landlock {
		return grant(write, slices.Concat(g.carve, g.above), g.seal), nil
	}
	if at := g.exposed(o.Way == leash.Namespace, within); at != "" && o.Confine != ConfineOff {
		return grants{}, fmt.Errorf("it could write Redline's own files at %s, and this system cannot keep it from that: move them (REDLINE_CONFIG, REDLINE_STATE_DIR), or open another folder. commands.confine = \"off\" in your settings lets it run", at)
	}
	return grants{}, nil
}

// start starts the command line in its own process group. bounded reports whether it has
// joined its cgroup.
func start(o order) (pid int, bounded bool, err error) {
	if o.Input { // a stream ends when nobody has it open any more
		defer os.Stdin.Close()
		defer os.Stdout.Close()
	}
	switch {
	case o.World == nil:
		pid, err = startProgram(o, nil, "/bin/sh", "sh", "-c", o.Line)
		return pid, false, err
	case o.Probe != "":
		pid, err = startProgram(o, nil, leash.Self(), os.Args[0], ProbeArg, o.Probe)
		return pid, err == nil && join(o, pid), err
	}
	wait, limited, err := os.Pipe()
	if err != nil {
		return 0, false, err
	}
	defer limited.Close()
	defer wait.Close()
	if pid, err = startProgram(o, wait, "/bin/sh", "sh", "-c", afterLimits, "sh", o.Line); err != nil {
		return 0, false, err
	}
	each := *o.World
	if bounded = join(o, pid); bounded {
		each.Memory = 0 // together, for the whole command
	}
	if err := world.Limit(pid, each); err != nil {
		return 0, false, err
	}
	_, err = limited.WriteString("\n")
	return pid, bounded, err
}

// join moves a process into the cgroup of the command, and reports whether there is one.
func join(o order, pid int) bool {
	if o.Joins == 0 {
		return false
	}
	procs := os.NewFile(uintptr(o.Joins), "cgroup.procs")
	_, err := procs.WriteString(strconv.Itoa(pid))
	return errors.Join(err, procs.Close()) == nil
}

// afterLimits is a shell script that waits for a line on its input, which says that the
// helper has limited this shell, and then runs its argument. So the limits do not apply
// to the helper itself.
const afterLimits = `read -r _ <&3 && exec 3<&- && exec /bin/sh -c "$1"`

// startProgram starts the program argv in its own process group. It passes more as file
// descriptor 3 unless that is nil.
func startProgram(o order, more *os.File, name string, argv ...string) (pid int, err error) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		return 0, err
	}
	defer null.Close()
	files := []*os.File{null, os.Stdout, os.Stderr}
	if o.Input {
		files[0] = os.Stdin
	}
	if more != nil {
		files = append(files, more)
	}
	p, err := os.StartProcess(name, argv, &os.ProcAttr{
		Dir: o.Dir, Env: os.Environ(), Files: files,
		Sys: &syscall.SysProcAttr{Setpgid: true},
	})
	if err != nil {
		return 0, err
	}
	return p.Pid, nil
}

// exit is the result of a process.
type exit struct {
	status syscall.WaitStatus
	ok     bool // false if the status is unknown
}

// supervise waits for the process to exit, and stops it when its end is asked for or it has done
// enough, first by a signal that it can handle. Then it kills the rest of the process group. It sends
// signals, and changes files, from the thread that started the process: limits apply to threads, and
// only that thread may signal it.
func supervise(pid int, h heard, change func(changes)) (status syscall.WaitStatus, ok bool) {
	defer close(h.over)
	asked, enough := h.end, h.enough
	ended := make(chan exit, 1)
	go func() { ended <- await(pid) }()
	var impatient <-chan time.Time
	stop := func(within time.Duration) {
		impatient = time.After(within)
		_ = syscall.Kill(-pid, syscall.SIGTERM)
	}
	for {
		select {
		case <-asked:
			asked = nil
			stop(politely)
		case <-enough:
			enough = nil
			stop(politelyKept)
		case c := <-h.changes:
			change(c)
		case <-impatient:
			_ = syscall.Kill(-pid, syscall.SIGKILL)
		case e := <-ended:
			// The leader has just exited. The rest of its group keeps the group id in
			// use, and no new process can have got it so soon.
			_ = syscall.Kill(-pid, syscall.SIGKILL)
			return e.status, e.ok
		}
	}
}

// await waits for the process, and reaps all others that exit before it: orphans become
// children of this process.
func await(pid int) exit {
	for {
		var e exit
		got, err := syscall.Wait4(-1, &e.status, 0, nil)
		switch {
		case err == syscall.EINTR:
		case err != nil:
			return exit{}
		case got == pid:
			e.ok = true
			return e
		}
	}
}

// watched is what a helper has found the command to use too much of.
type watched struct{ disk, memory, filled atomic.Bool }

// watch kills all other processes in the world as soon as more is written than allowed,
// since the kernel does not limit that in worlds of bwrap, or as soon as they hold more
// memory than allowed, unless a cgroup limits that.
//
// It also notes whether there was no room left for what left will read.
func watch(w *world.World, bounded bool, left *world.Capture) *watched {
	found := &watched{}
	if w == nil {
		return found
	}
	if left != nil {
		go func() {
			for !left.Filled() {
				time.Sleep(watchingDisk)
			}
			found.filled.Store(true)
		}()
	}
	every := func(least time.Duration, look func() bool, over *atomic.Bool) {
		for {
			began := time.Now()
			if look() {
				over.Store(true)
				_ = syscall.Kill(-1, syscall.SIGKILL) // in this PID namespace
			}
			time.Sleep(max(least, 10*time.Since(began)))
		}
	}
	if w.Kind == world.Bwrap {
		go every(watchingDisk, func() bool { return world.Full(*w) }, &found.disk)
	}
	if w.Memory > 0 && !bounded {
		go every(watchingMemory, world.WatchMemory(w.Memory).Over, &found.memory)
	}
	return found
}

// The intervals between two looks of watch.
const (
	watchingDisk   = 5 * time.Millisecond
	watchingMemory = 50 * time.Millisecond
)

// haveThreads starts all threads that this process, a helper, can need while its command
// runs. A command that forks without end uses up all process ids. If the Go runtime then
// needed a new thread it would exit, and the result would be lost.
func haveThreads() {
	const parallel, waiting = 2, 8 // more goroutines than this process ever has
	runtime.GOMAXPROCS(parallel)
	var running, ended sync.WaitGroup
	running.Add(parallel + waiting)
	for range parallel + waiting {
		ended.Go(func() {
			runtime.LockOSThread() // so that each goroutine gets its own thread
			defer runtime.UnlockOSThread()
			running.Done()
			running.Wait()
		})
	}
	ended.Wait() // the runtime keeps the threads
}
