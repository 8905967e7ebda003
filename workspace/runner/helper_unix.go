//go:build unix

package runner

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strconv"
	"syscall"
	"time"

	"redline/internal/leash"
)

// HelperArg is the hidden subcommand by which the program is its own helper.
const HelperArg = "run-command"

// IsHelper tells whether the program was started as a helper.
func IsHelper(args []string) bool {
	return len(args) == 2 && args[1] == HelperArg || leash.IsHelper(args)
}

// politely is how long a command has to end by itself when it is asked to.
const politely = 200 * time.Millisecond

// Help is all that a helper does. It returns the exit status of the helper, not
// that of the command, which the process that asked is told of.
func Help() int {
	if leash.IsHelper(os.Args) {
		return leash.Help(os.Args)
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
		return 2 // the process that asked is gone already
	}
	// Some of what follows, the limits among it, is of the thread that asks for it.
	runtime.LockOSThread()
	confined, err := prepare(o)
	if err != nil {
		_ = say.Encode(notice{Error: err.Error()})
		return 1
	}
	pid, err := startShell(o)
	if err != nil {
		_ = say.Encode(notice{Error: fmt.Sprintf("the command could not be started: %s", err)})
		return 1
	}
	_ = say.Encode(notice{Started: pid, Confined: confined})
	asked := make(chan struct{}) // closed when the command is to end
	go func() {
		_, _ = io.Copy(io.Discard, io.MultiReader(lines.Buffered(), from)) // until it is closed
		close(asked)
	}()
	status, ok := supervise(pid, asked)
	if o.Way != leash.Namespace { // of a namespace all ends with this process
		leash.EndChildren(grace / 2)
	}
	n := notice{Ended: ok}
	if ok && status.Signaled() {
		n.Signal = status.Signal().String()
	} else if ok {
		n.Exit = status.ExitStatus()
	}
	_ = say.Encode(n)
	return 0
}

// keepFiles keeps the files that this process has open from what it starts: those
// of the helper, and those that an editor has left open by mistake. What is open
// already no limit on writing is about.
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

// prepare does to this process what the command inherits.
func prepare(o order) (confined bool, err error) {
	if err := leash.Enter(o.Way); err != nil {
		return false, err
	}
	noPrivileges()
	_ = syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{})
	limited := o.Confine != ConfineOff
	if can := Supports(); limited && !can.Supported {
		if o.Confine == ConfineRequire {
			return false, fmt.Errorf("what it writes cannot be limited (%s), and the setting commands.confine requires that", can.What)
		}
		limited = false
	}
	write := realDirs(o.Write) // a cache that is not there is none, and neither is a file in its place
	allowed, err := keepOwn(o, write, limited)
	if err != nil {
		return false, err
	}
	if limited {
		if err := confine(allowed); err != nil {
			return false, fmt.Errorf("what it writes could not be limited (%w); the setting commands.confine can switch that off", err)
		}
	}
	leash.Seal()
	return limited, nil
}

// keepOwn keeps Redline's own files from what this process starts. It returns what
// that may be allowed to write, for the kernel to hold it to where limited is true.
func keepOwn(o order, write []string, limited bool) (grants, error) {
	open := writable // nothing else limits where entries are made
	within := func(dir string) bool {
		return slices.ContainsFunc(write, func(w string) bool { return isIn(dir, w) })
	}
	if limited {
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
		if limited {
			return grant(write, g.carve, nil), nil
		}
	} else if limited {
		return grant(write, slices.Concat(g.carve, g.above), g.seal), nil
	}
	if at := g.exposed(o.Way == leash.Namespace, within); at != "" && o.Confine != ConfineOff {
		return grants{}, fmt.Errorf("it could write Redline's own files at %s, and this system cannot keep it from that: move them (REDLINE_CONFIG, REDLINE_STATE_DIR), or open another folder. commands.confine = \"off\" in your settings lets it run", at)
	}
	return grants{}, nil
}

// startShell starts the command line, in a process group of its own.
func startShell(o order) (pid int, err error) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		return 0, err
	}
	defer null.Close()
	p, err := os.StartProcess("/bin/sh", []string{"sh", "-c", o.Line}, &os.ProcAttr{
		Dir: o.Dir, Env: os.Environ(), Files: []*os.File{null, os.Stdout, os.Stderr},
		Sys: &syscall.SysProcAttr{Setpgid: true},
	})
	if err != nil {
		return 0, err
	}
	return p.Pid, nil
}

// exit is how a process ended.
type exit struct {
	status syscall.WaitStatus
	ok     bool // false: nobody knows
}

// supervise waits for the process to end, and has it end when it is asked to:
// politely at first. All that is left of its group goes with it. Signals are sent
// from the thread that has started it, since that is what may send it some: each
// thread has limits of its own.
func supervise(pid int, asked <-chan struct{}) (status syscall.WaitStatus, ok bool) {
	ended := make(chan exit, 1)
	go func() { ended <- await(pid) }()
	var impatient <-chan time.Time
	for {
		select {
		case <-asked:
			asked, impatient = nil, time.After(politely)
			_ = syscall.Kill(-pid, syscall.SIGTERM)
		case <-impatient:
			_ = syscall.Kill(-pid, syscall.SIGKILL)
		case e := <-ended:
			// The leader of the group has gone this moment; what is left of it keeps
			// the number, and nobody else has got that so soon.
			_ = syscall.Kill(-pid, syscall.SIGKILL)
			return e.status, e.ok
		}
	}
}

// await waits for the process, and takes leave of all others that end before
// it: those that were left behind are this one's children.
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
