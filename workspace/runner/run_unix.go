//go:build unix

package runner

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"redline/internal/cgroup"
	"redline/internal/leash"
	"redline/workspace/leftover"
	"redline/workspace/network"
	"redline/workspace/secrets"
	"redline/workspace/world"
)

// grace is how long a helper may take to end its processes before it is killed.
const grace = 3 * time.Second

// order tells a helper what to run. The helper reads it from file descriptor 3. The
// parent process closes that when it wants to stop the command, and by exiting.
type order struct {
	Line    string   `json:"line"`
	Dir     string   `json:"dir"`
	Write   []string `json:"write"`
	Confine string   `json:"confine"`

	Way        leash.Way `json:"way"`
	MountsOnly bool      `json:"mountsOnly,omitempty"`
	Own        []string  `json:"own"`
	OwnFolders []string  `json:"ownFolders"`

	World *world.World   `json:"world,omitempty"`
	Joins int            `json:"joins,omitempty"` // the file descriptor for joining the cgroup, 0 for none
	Gate  int            `json:"gate,omitempty"`  // that of the socket for listeners, 0 for none
	Peers []network.Peer `json:"peers,omitempty"` // what the gate leads to
	Probe string         `json:"probe,omitempty"`
	Input bool           `json:"input,omitempty"` // the helper's standard input is the command's
	Live  bool           `json:"live,omitempty"`  // files of its world may change while it runs
}

// notice is a report from a helper on file descriptor 4: one when the command has
// started, one when it has exited.
type notice struct {
	Error    string `json:"error,omitempty"`   // why it was not started
	Started  int    `json:"started,omitempty"` // the command's process id, in the helper's namespace
	Confined bool   `json:"confined,omitempty"`
	ReadOnly bool   `json:"readOnly,omitempty"`
	Bounded  bool   `json:"bounded,omitempty"`
	Told     bool   `json:"told,omitempty"` // the last one, when the command is over
	Ended    bool   `json:"ended,omitempty"`
	Full     bool   `json:"full,omitempty"`   // killed, because it wrote more than its world may hold
	Hungry   bool   `json:"hungry,omitempty"` // killed, because it held more memory than its world may
	Asked    bool   `json:"asked,omitempty"`  // the parent had asked for its end by then
	Exit     int    `json:"exit,omitempty"`
	Signal   string `json:"signal,omitempty"`

	Unreached int      `json:"unreached,omitempty"` // in a world: see [world.Unreached]
	Written   []string `json:"written,omitempty"`   // in a world: see [world.Written]

	Left   []world.Entry `json:"left,omitempty"`   // in a captured world: some of what it leaves
	Filled bool          `json:"filled,omitempty"` // there was no room left for what the command wrote
	Listed bool          `json:"listed,omitempty"` // that was all: now the parent says which texts it wants
	Still  bool          `json:"still,omitempty"`  // before: nothing else runs in the world any more
	Text   *text         `json:"text,omitempty"`   // one of these

	Kept *kept `json:"kept,omitempty"` // in a world with a state: a part of what is to be written back

	Changed int `json:"changed,omitempty"` // the changes with this number are made, but for what Error says
}

// text is the content of a file that a command has left in its world.
type text struct {
	File    int    `json:"file"` // its index in what the helper has listed
	Content []byte `json:"content"`
}

// wants is what a parent process asks for while a command runs, and after it.
type wants struct {
	Files []int `json:"files"`          // files whose content it wants, by their indices
	End   bool  `json:"end,omitempty"`  // end the command now, instead
	Kill  bool  `json:"kill,omitempty"` // end it at once, instead: it writes too much

	Change *changes `json:"change,omitempty"` // instead: files to change in its world
}

// changes are changes in the world of a running command.
type changes struct {
	Number int            `json:"number"` // from 1
	Of     []world.Change `json:"of"`
}

func run(ctx context.Context, c Command, tell func(Stream, string)) (Outcome, error) {
	temp, remove, err := tempFolder(c)
	if err != nil {
		return Outcome{}, err
	}
	defer remove()
	c.World = ownWorld(c)
	c.Secrets = append(slices.Clip(c.Secrets), secretsIn(c.Keys)...)
	state, err := beginState(&c)
	if err != nil {
		return Outcome{}, err
	}
	defer state.close()
	if c.World != nil {
		c.Secrets = append(c.Secrets, secrets.TokensIn(slices.Concat(c.World.State.Keep, c.World.State.Paths))...)
	}
	gate, err := gateFor(&c)
	if err != nil {
		return Outcome{}, err
	}
	defer gate.close()
	disk, err := uppersFor(&c)
	if err != nil {
		return Outcome{}, err
	}
	defer disk.remove()
	group := groupFor(c)
	defer group.Remove()
	h, err := startHelper(c, temp, group, gate)
	if err != nil {
		return Outcome{}, err
	}
	defer h.close()
	h.patience = state.patience()

	began := time.Now()
	timer, expired := context.WithTimeout(ctx, c.Limits.Time)
	defer expired()
	out := newOutput(c.Limits, c.Secrets, tell)
	copying := h.copyAll(out, c.Talk == nil)
	taking := &taking{choose: c.Capture, state: state}
	talk := h.talk(timer, c)
	f := &following{helper: h, ctx: ctx, timer: timer, taking: taking, talk: talk, live: c.Live, full: make(chan struct{})}
	watched := disk.watch(h.process.Pid(), func() { close(f.full) })
	f.follow(h.read())
	c.Live.ended() // Talk may wait for it
	first, last, overfull := f.first, f.last, watched()
	_ = h.process.Wait() // the helper has sent all notices, and none of its processes is left
	h.sending.Wait()
	_ = h.stdout.SetReadDeadline(time.Now().Add(time.Second))
	_ = h.stderr.SetReadDeadline(time.Now().Add(time.Second)) // a process that escaped may keep the stream open
	copying.Wait()
	talk.finish()

	o := Outcome{
		ExitCode: -1, Took: time.Since(began), Confined: first.Confined, ReadOnly: first.ReadOnly, Bounded: first.Bounded,
		Stdout: out.of[Stdout].String(), Stderr: out.of[Stderr].String(), Output: out.all.String(),
	}
	if c.World != nil {
		o.World, o.Unreached = c.World.Kind, last.Unreached
		o.Written, o.Whole, o.Network = last.Written, last.Told, gate.report(last)
	}
	o.Left, o.NotCaptured = taking.result(last)
	o.Filled = last.Filled || last.Full || overfull
	o.Kept, o.NotKept = state.write(c.Left)
	o.NotShown = state.notShown(h.stateLeft)
	o.Talked, o.Dismissed = talk.err, talk.dismissed
	if first.Error != "" {
		return Outcome{}, errors.New(first.Error)
	}
	o.ended(last, ends{
		cancelled: ctx.Err() != nil, late: talk.late || f.timedOut && (last.Asked || !last.Told), overfull: overfull, dismissed: talk.dismissed,
		hungry: func() bool { return last.Hungry || last.Signal != "" && group.OutOfMemory() },
	})
	if o.ExitCode != 0 && o.Confined {
		o.Refused, o.RefusedUnnamed = refusedIn(o.Output, c.Dir, os.Getenv("HOME"), o.ReadOnly, realDirs(writableBy(c, temp)))
	}
	return o, nil
}

// ownWorld returns the world of a command with what this process adds to it, nil for none.
func ownWorld(c Command) *world.World {
	if c.World == nil {
		return nil
	}
	w := *c.World
	w.Hidden, w.Captured = slices.Concat(w.Hidden, world.Private()), c.Capture != nil
	return &w
}

// secretsIn returns the values of those variables that hold secrets.
func secretsIn(names []string) (values []string) {
	for _, name := range names {
		if value := os.Getenv(name); secrets.Named(name) || secrets.Text("variable", name+"="+value) {
			values = append(values, value)
		}
	}
	return values
}

// ends says what was seen of a command's end besides the last notice of its helper.
type ends struct {
	cancelled, late bool // the caller wanted no more; its time is over
	overfull        bool // it wrote too much on a disk
	dismissed       bool // it was told that nothing more is wanted
	hungry          func() bool
}

// ended notes how a command ended.
func (o *Outcome) ended(last notice, is ends) {
	stopped := !last.Ended || last.Signal != ""
	switch {
	case last.Full, is.overfull && !last.Ended:
		o.End = Overfull
	case is.cancelled && stopped:
		o.End = Cancelled
	case is.late && stopped:
		o.End = TimedOut
	case !last.Ended:
		o.End = Lost
	case is.hungry():
		o.End = OutOfMemory
	case is.dismissed:
		o.End, o.ExitCode = Exited, 0
	case last.Signal != "":
		o.End, o.Signal = Signalled, last.Signal
	case is.cancelled: // it exited by itself when it was asked to
		o.End = Cancelled
	case is.late:
		o.End = TimedOut
	default:
		o.End, o.ExitCode = Exited, last.Exit
	}
}

// writableBy returns the folders that a command can write.
func writableBy(c Command, temp string) []string {
	if c.World == nil {
		return append([]string{temp}, c.Write...)
	}
	free := []string{c.World.Home, "/tmp", "/var/tmp", "/run"} // the world's own
	if c.World.Kind == world.Bwrap {
		return slices.Concat(c.World.Folders, free)
	}
	return slices.Concat(c.World.Folders, c.World.Tools, free)
}

// groupFor creates a cgroup for the limits of the command. It returns nil if each process
// is limited by itself.
func groupFor(c Command) *cgroup.Group {
	w := c.World
	if w == nil {
		return nil
	}
	b := cgroup.Bounds{Processes: w.Processes}
	if w.Memory > 0 {
		b.Memory = w.Memory + w.Disk // files in memory count too
	}
	return cgroup.Bounded(b)
}

// tempFolder creates the folder for the command's temporary files.
func tempFolder(c Command) (dir string, remove func(), err error) {
	if c.World != nil {
		return usualTemp, func() {}, nil // a world has its own
	}
	dir = filepath.Join(os.TempDir(), leftover.Name(leftover.Folder))
	noted := c.Left.Note(dir)
	if err := os.Mkdir(dir, 0o700); err != nil {
		noted()
		return "", nil, fmt.Errorf("there is no folder for temporary files: %w", err)
	}
	return dir, func() { leftover.RemoveAll(dir); noted() }, nil
}

// helper is a running helper, as its parent process sees it.
type helper struct {
	process        *leash.Process
	order          *os.File // closing it stops the command
	notices        *os.File
	stdin          *os.File // nil if the command has no input
	stdout, stderr *os.File
	sending        sync.WaitGroup // carries the workspace to a world of bwrap
	stateLeft      int            // how many files of the state a world of bwrap does not have
	patience       time.Duration  // how long it may take to end its processes before it is killed
}

func startHelper(c Command, temp string, group *cgroup.Group, gate *gate) (h *helper, err error) {
	var opened []*os.File
	defer func() {
		if err != nil {
			closeAll(opened)
		}
	}()
	pipe := func() (r, w *os.File) {
		if err == nil {
			if r, w, err = os.Pipe(); err == nil {
				opened = append(opened, r, w)
			}
		}
		return r, w
	}
	h = &helper{}
	orderIn, order1 := pipe()
	notices, noticeOut := pipe()
	stdout, stdoutIn := pipe()
	stderr, stderrIn := pipe()
	var stdinOut *os.File
	if c.Input != nil || c.Talk != nil {
		stdinOut, h.stdin = pipe()
	}
	if err != nil {
		return nil, fmt.Errorf("a command cannot be started: %w", err)
	}
	h.order, h.notices, h.stdout, h.stderr = order1, notices, stdout, stderr
	by, err := launcherFor(c)
	if err != nil {
		return nil, err
	}
	files, joins := []*os.File{orderIn, noticeOut}, 0
	if by != nil {
		opened, files = append(opened, by.from, by.to), append(files, by.from)
		c.World, h.stateLeft = &by.World, by.StateLeft
	}
	if group != nil {
		if join, err := group.Joining(); err == nil { // otherwise each process is limited by itself
			joins = 3 + len(files)
			opened, files = append(opened, join), append(files, join)
		}
	}
	gateAt := 0
	if gate != nil && gate.child != nil {
		gateAt = 3 + len(files)
		opened, files = append(opened, gate.child), append(files, gate.child)
	}
	way := wayFor(c)
	start := func() (err error) {
		cmd := helperCommand(c, by)
		cmd.Env, cmd.Dir = environOf(c, temp), "/"
		cmd.Stdout, cmd.Stderr, cmd.ExtraFiles = stdoutIn, stderrIn, files
		if stdinOut != nil {
			cmd.Stdin = stdinOut
		}
		if by != nil { // bwrap creates the namespaces
			h.process, err = leash.Start(cmd, leash.Supports().Else)
		} else {
			h.process, err = leash.Start(cmd, way)
		}
		return err
	}
	if err = start(); err != nil && way == leash.Namespace && c.World == nil { // for example, the limit of namespaces is reached
		way = leash.Supports().Else
		err = start()
	}
	if err != nil {
		return nil, fmt.Errorf("a command cannot be started: %w", err)
	}
	closeAll(append(files, stdoutIn, stderrIn, stdinOut))
	// An error means that the helper has exited, which the notices show.
	_ = json.NewEncoder(h.order).Encode(orderFor(c, order{Way: way, Write: append([]string{temp}, c.Write...), Joins: joins, Input: h.stdin != nil, Gate: gateAt}))
	if by != nil {
		by.from.Close()
		h.sending.Go(by.send)
	}
	return h, nil
}

// orderFor adds to an order what a command says itself.
func orderFor(c Command, o order) order {
	o.Line, o.Dir, o.Confine, o.World, o.Peers = c.Line, c.Dir, c.Confine, c.World, c.Network.Peers
	o.MountsOnly, o.Own, o.OwnFolders, o.Probe = c.mountsOnly, c.Own, c.OwnFolders, c.probe
	o.Live = c.Live != nil && c.World != nil
	return o
}

// helperCommand returns the command that starts a helper, by bwrap if by is not nil.
func helperCommand(c Command, by *launcher) *exec.Cmd {
	if by != nil {
		return by.command()
	}
	cmd := exec.Command(leash.Self(), HelperArg)
	cmd.Args[0] = os.Args[0] // the name in process lists
	if c.World != nil {
		cmd.SysProcAttr = world.Attributes(*c.World)
	}
	return cmd
}

// wayFor chooses how to kill a command with everything that it started.
func wayFor(c Command) leash.Way {
	if c.World != nil {
		return leash.Namespace
	}
	switch can := leash.Supports(); {
	case c.way != "":
		return c.way
	case c.Namespaces == NamespacesOff:
		return can.Else
	default:
		return can.Way
	}
}

// read returns the notices of the helper. The channel is closed when there are no more.
func (h *helper) read() <-chan notice {
	notices := make(chan notice, 2)
	go func() {
		defer close(notices)
		lines := json.NewDecoder(bufio.NewReader(h.notices))
		for {
			var n notice
			if lines.Decode(&n) != nil {
				return
			}
			notices <- n
		}
	}()
	return notices
}

// copyAll starts to copy what the command prints; on stdout only if that is set.
func (h *helper) copyAll(to *output, stdout bool) *sync.WaitGroup {
	var copying sync.WaitGroup
	if stdout {
		copying.Go(func() { h.copy(to, Stdout, h.stdout) })
	}
	copying.Go(func() { h.copy(to, Stderr, h.stderr) })
	return &copying
}

func (h *helper) copy(to *output, s Stream, from *os.File) {
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		to.write(s, buffer[:n], err != nil)
		if err != nil {
			return
		}
	}
}

func (h *helper) close() {
	closeAll([]*os.File{h.order, h.notices, h.stdout, h.stderr})
	if h.stdin != nil {
		h.stdin.Close()
	}
}

func closeAll[C io.Closer](files []C) {
	for _, f := range files {
		_ = f.Close()
	}
}
