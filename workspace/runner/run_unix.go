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
	"redline/workspace/world"
)

// grace is how long a helper may take to end what it started before it is killed.
const grace = 3 * time.Second

// order tells a helper what to run. The helper reads it from file descriptor 3, which stays
// open while the parent process lives and wants the command.
type order struct {
	Line    string   `json:"line"`
	Dir     string   `json:"dir"`
	Write   []string `json:"write"`
	Confine string   `json:"confine"`

	Way        leash.Way `json:"way"`
	MountsOnly bool      `json:"mountsOnly,omitempty"`
	Own        []string  `json:"own"`
	OwnFolders []string  `json:"ownFolders"`

	World *world.World `json:"world,omitempty"`
	Probe string       `json:"probe,omitempty"`
}

// notice is a report of a helper on file descriptor 4: one when the command has started,
// one when it has ended.
type notice struct {
	Error    string `json:"error,omitempty"`   // why it was not started
	Started  int    `json:"started,omitempty"` // the process id as the helper sees it
	Confined bool   `json:"confined,omitempty"`
	ReadOnly bool   `json:"readOnly,omitempty"`
	Ended    bool   `json:"ended,omitempty"`
	Exit     int    `json:"exit,omitempty"`
	Signal   string `json:"signal,omitempty"`
}

func run(ctx context.Context, c Command, tell func(Stream, string)) (Outcome, error) {
	temp, remove, err := tempFolder(c)
	if err != nil {
		return Outcome{}, err
	}
	defer remove()
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
	_ = h.process.Wait() // it has sent all notices, and nothing that it started is left
	_ = h.stdout.SetReadDeadline(time.Now().Add(time.Second))
	_ = h.stderr.SetReadDeadline(time.Now().Add(time.Second)) // an escaped process may hold the stream open
	copying.Wait()

	o := Outcome{
		ExitCode: -1, Took: time.Since(began), Confined: first.Confined, ReadOnly: first.ReadOnly,
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
		if ctx.Err() != nil || timer.Err() != nil { // it was stopped, as asked
			o.End, o.ExitCode = Cancelled, -1
			if ctx.Err() == nil {
				o.End = TimedOut
			}
		}
	}
	return o, nil
}

// tempFolder makes the folder for the command's temporary files.
func tempFolder(c Command) (dir string, remove func(), err error) {
	if c.World != nil {
		return "/tmp", func() {}, nil // it has its own
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
		cmd.Args[0] = os.Args[0] // the name in process lists
		cmd.Env = environ(os.Environ(), c.Env, temp)
		cmd.Dir = "/"
		cmd.Stdout, cmd.Stderr = stdoutIn, stderrIn
		cmd.ExtraFiles = []*os.File{orderIn, noticeOut}
		if c.World != nil {
			cmd.SysProcAttr = world.Attributes()
		}
		h.process, err = leash.Start(cmd, way)
		return err
	}
	if err = start(); err != nil && way == leash.Namespace && c.World == nil { // for instance, all namespaces allowed are in use
		way = leash.Supports().Else
		err = start()
	}
	if err != nil {
		return nil, fmt.Errorf("a command cannot be started: %w", err)
	}
	closeAll([]*os.File{orderIn, noticeOut, stdoutIn, stderrIn})
	// If this fails, the helper has ended, which the notices show.
	_ = json.NewEncoder(h.order).Encode(order{
		Line: c.Line, Dir: c.Dir, Write: append([]string{temp}, c.Write...), Confine: c.Confine,
		Way: way, MountsOnly: c.mountsOnly, Own: c.Own, OwnFolders: c.OwnFolders, World: c.World, Probe: c.probe,
	})
	return h, nil
}

// wayFor returns the way to end a command with everything that it starts.
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

// follow waits until the helper has reported the end of the command, or has ended itself.
// When ctx is done it stops the command.
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
