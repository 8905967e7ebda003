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
	"sync"
	"syscall"
	"time"

	"redline/internal/leash"
	"redline/workspace/leftover"
)

// grace is how long a helper may take to end what it has started, before it is
// ended itself.
const grace = 3 * time.Second

// order is what a helper is to do. It gets it through the file descriptor 3,
// which then stays open for as long as the process that asks lives and wants it.
type order struct {
	Line    string   `json:"line"`
	Dir     string   `json:"dir"`
	Write   []string `json:"write"`
	Confine string   `json:"confine"`

	Way        leash.Way `json:"way"`
	Own        []string  `json:"own"`
	OwnFolders []string  `json:"ownFolders"`
}

// notice is what a helper says, through the file descriptor 4: one when the
// command has started, one when it has ended.
type notice struct {
	Error    string `json:"error,omitempty"`   // it was not started, and why
	Started  int    `json:"started,omitempty"` // as the helper numbers processes
	Confined bool   `json:"confined,omitempty"`
	Ended    bool   `json:"ended,omitempty"`
	Exit     int    `json:"exit,omitempty"`
	Signal   string `json:"signal,omitempty"`
}

func run(ctx context.Context, c Command, tell func(Stream, string)) (Outcome, error) {
	temp := filepath.Join(os.TempDir(), leftover.Name(leftover.Folder))
	defer c.Left.Note(temp)()
	if err := os.Mkdir(temp, 0o700); err != nil {
		return Outcome{}, fmt.Errorf("there is no folder for temporary files: %w", err)
	}
	defer leftover.RemoveAll(temp)
	h, err := startHelper(c, temp)
	if err != nil {
		return Outcome{}, err
	}
	defer h.close()

	began := time.Now()
	timer, expired := context.WithTimeout(ctx, c.Limits.Time)
	defer expired()
	out := newOutput(c.Limits, c.Secrets, tell)
	var copying sync.WaitGroup
	copying.Go(func() { h.copy(out, Stdout, h.stdout) })
	copying.Go(func() { h.copy(out, Stderr, h.stderr) })

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
	first, last := h.follow(timer, notices)
	_ = h.process.Wait() // what it has to say it has said, and nothing that it has started is left
	_ = h.stdout.SetReadDeadline(time.Now().Add(time.Second))
	_ = h.stderr.SetReadDeadline(time.Now().Add(time.Second)) // something may have got away with the stream
	copying.Wait()

	o := Outcome{
		ExitCode: -1, Took: time.Since(began), Confined: first.Confined,
		Stdout: out.of[Stdout].String(), Stderr: out.of[Stderr].String(), Output: out.all.String(),
	}
	switch {
	case first.Error != "":
		return Outcome{}, errors.New(first.Error)
	case ctx.Err() != nil && (!last.Ended || last.Signal != ""):
		o.End = Cancelled
	case timer.Err() != nil && (!last.Ended || last.Signal != ""):
		o.End = TimedOut
	case !last.Ended:
		o.End = Lost
	case last.Signal != "":
		o.End, o.Signal = Signalled, last.Signal
	default:
		o.End, o.ExitCode = Exited, last.Exit
		if ctx.Err() != nil || timer.Err() != nil { // it was asked to end, and has
			o.End, o.ExitCode = Cancelled, -1
			if ctx.Err() == nil {
				o.End = TimedOut
			}
		}
	}
	return o, nil
}

// helper is a helper that was started, as the process that asks sees it.
type helper struct {
	process        *leash.Process
	order          *os.File // closing it ends the command
	notices        *os.File
	stdout, stderr *os.File
}

func startHelper(c Command, temp string) (h *helper, err error) {
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
	if err != nil {
		return nil, fmt.Errorf("a command cannot be started: %w", err)
	}
	h.order, h.notices, h.stdout, h.stderr = order1, notices, stdout, stderr
	way := wayFor(c)
	start := func() (err error) {
		cmd := exec.Command(leash.Self(), HelperArg)
		cmd.Args[0] = os.Args[0] // how others see it in their lists
		cmd.Env = environ(os.Environ(), c.Env, temp)
		cmd.Dir = "/"
		cmd.Stdout, cmd.Stderr = stdoutIn, stderrIn
		cmd.ExtraFiles = []*os.File{orderIn, noticeOut}
		h.process, err = leash.Start(cmd, way)
		return err
	}
	if err = start(); err != nil && way == leash.Namespace { // as many as there may be are in use, say
		way = leash.Supports().Else
		err = start()
	}
	if err != nil {
		return nil, fmt.Errorf("a command cannot be started: %w", err)
	}
	closeAll([]*os.File{orderIn, noticeOut, stdoutIn, stderrIn})
	// An error here is one that the notices tell: the helper has gone.
	_ = json.NewEncoder(h.order).Encode(order{
		Line: c.Line, Dir: c.Dir, Write: append([]string{temp}, c.Write...), Confine: c.Confine,
		Way: way, Own: c.Own, OwnFolders: c.OwnFolders,
	})
	return h, nil
}

// wayFor is how all that a command starts is ended with it.
func wayFor(c Command) leash.Way {
	switch can := leash.Supports(); {
	case c.way != "":
		return c.way
	case c.Namespaces == NamespacesOff:
		return can.Else
	default:
		return can.Way
	}
}

// follow waits until the helper has said how the command has ended, or has gone.
// When ctx is done it has the command ended.
func (h *helper) follow(ctx context.Context, notices <-chan notice) (first, last notice) {
	done, begun := ctx.Done(), false
	var over <-chan time.Time
	for {
		select {
		case n, ok := <-notices:
			switch {
			case !ok:
				return first, last
			case !begun:
				first, begun = n, true
			default:
				last = n
			}
		case <-done:
			done, over = nil, time.After(grace)
			h.order.Close()
		case <-over:
			over = nil
			h.process.Kill()
			if h.process.Way == leash.Group && first.Started > 0 {
				_ = syscall.Kill(-first.Started, syscall.SIGKILL)
			}
		}
	}
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

func (h *helper) close() { closeAll([]*os.File{h.order, h.notices, h.stdout, h.stderr}) }

func closeAll[C io.Closer](files []C) {
	for _, f := range files {
		_ = f.Close()
	}
}
