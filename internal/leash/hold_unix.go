//go:build unix

package leash

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"sync"
	"syscall"
	"time"
)

// heldOrder tells a helper what to run. The helper reads it from file descriptor 3, which
// stays open while the program is wanted.
type heldOrder struct {
	Way  Way      `json:"way"`
	Path string   `json:"path"`
	Args []string `json:"args"`
	Dir  string   `json:"dir"`
}

// Held is a program that runs below a helper.
type Held struct {
	p     *Process
	order *os.File
	once  sync.Once
}

// Hold starts a program below a helper, with the same standard streams and environment, in
// a process group of its own. The program has all rights of this process, including setuid
// programs, so Hold uses a namespace only if that does not restrict them. The error says
// why the program did not start.
func Hold(program *exec.Cmd) (*Held, error) {
	can := Supports()
	way := can.Way
	if way == Namespace && can.UserNS { // setuid programs do not work in it
		way = can.Else
	}
	return hold(program, way)
}

func hold(program *exec.Cmd, way Way) (*Held, error) {
	from, order, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer from.Close()
	notices, say, err := os.Pipe()
	if err != nil {
		order.Close()
		return nil, err
	}
	defer notices.Close()
	o := heldOrder{Way: way, Path: program.Path, Args: program.Args, Dir: program.Dir}
	program.Path, program.Args, program.Dir = Self(), []string{os.Args[0], holdArg}, "/"
	program.ExtraFiles = []*os.File{from, say}
	p, err := Start(program, way)
	say.Close()
	if err != nil {
		order.Close()
		return nil, err
	}
	h := &Held{p: p, order: order}
	_ = json.NewEncoder(order).Encode(o) // if the helper has exited, its answer is missing below
	var why string
	if err := json.NewDecoder(notices).Decode(&why); err != nil {
		why = "its helper has ended"
	}
	if why != "" {
		h.End()
		<-p.done
		return nil, errors.New(why)
	}
	return h, nil
}

// Exited is closed when the program and everything that it started have ended.
func (h *Held) Exited() <-chan struct{} { return h.p.done }

// End kills the program and everything that it started.
func (h *Held) End() { h.once.Do(func() { h.order.Close() }) }

// Kill kills the helper; use it if End had no effect.
func (h *Held) Kill() { h.p.Kill() }

// helpHold is the main function of Hold's helper.
func helpHold() int {
	runtime.LockOSThread()
	from, to := os.NewFile(3, "order"), os.NewFile(4, "notices")
	var o heldOrder
	lines := json.NewDecoder(from)
	if lines.Decode(&o) != nil {
		fmt.Fprintln(os.Stderr, errNoHelper)
		return 2
	}
	syscall.CloseOnExec(3)
	syscall.CloseOnExec(4)
	CatchSignals()
	pid, err := startHeld(o)
	why := ""
	if err != nil {
		why = err.Error()
	}
	_ = json.NewEncoder(to).Encode(why) // if this fails, the parent has ended and nobody waits
	to.Close()
	if err != nil {
		return 1
	}
	closeStreams()
	go func() {
		_, _ = io.Copy(io.Discard, io.MultiReader(lines.Buffered(), from)) // until the parent closes it
		_ = syscall.Kill(-pid, syscall.SIGKILL)
		if o.Way != Namespace {
			EndChildren(heldTime)
		}
		os.Exit(0)
	}()
	for {
		_, err := syscall.Wait4(-1, nil, 0, nil)
		if err == syscall.ECHILD { // nothing is left
			_ = syscall.Kill(-pid, syscall.SIGKILL) // for systems where orphans do not become children of this process
			return 0
		}
	}
}

// heldTime is how long a helper may take to end the processes that its program left
// behind.
const heldTime = 5 * time.Second

// startHeld starts the program in an order.
func startHeld(o heldOrder) (pid int, err error) {
	if err := Enter(o.Way); err != nil {
		return 0, err
	}
	Seal()
	p, err := os.StartProcess(o.Path, o.Args, &os.ProcAttr{
		Dir: o.Dir, Env: os.Environ(), Files: []*os.File{os.Stdin, os.Stdout, os.Stderr},
		Sys: childOfHelper(),
	})
	if err != nil {
		if at, ok := errors.AsType[*os.PathError](err); ok {
			err = at.Err
		}
		return 0, err
	}
	return p.Pid, nil
}

// closeStreams closes the standard streams of this process: they belong to the program, and
// end with it.
func closeStreams() {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return
	}
	for fd := range 3 {
		_ = redirect(int(null.Fd()), fd)
	}
	null.Close()
}

// CatchSignals makes this process, a helper, survive signals that can be caught: otherwise
// it would lose track of what it has started. Programs that it starts end by signals as
// usual.
func CatchSignals() {
	nobody := make(chan os.Signal, 1) // nobody reads it: further signals are dropped
	signal.Notify(nobody)
}
