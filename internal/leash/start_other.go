//go:build !unix

package leash

import (
	"os/exec"
	"sync"
)

// Supports reports what this system can do.
func Supports() Support {
	return Support{Way: Group, Else: Group, Reason: "only the program itself is ended here, not what it has started"}
}

// Held is a running program.
type Held struct {
	cmd    *exec.Cmd
	exited chan struct{}
	once   sync.Once
}

// Hold starts a program. The error says why it was not started.
func Hold(program *exec.Cmd) (*Held, error) {
	if err := program.Start(); err != nil {
		return nil, err
	}
	h := &Held{cmd: program, exited: make(chan struct{})}
	go func() {
		_ = program.Wait() // its result does not matter
		close(h.exited)
	}()
	return h, nil
}

// Exited is closed when the program has ended.
func (h *Held) Exited() <-chan struct{} { return h.exited }

// End kills the program.
func (h *Held) End() { h.once.Do(h.Kill) }

// Kill kills the program.
func (h *Held) Kill() { _ = h.cmd.Process.Kill() } // an error means that it has ended already

func helpTry() int          { return 2 }
func helpHold() int         { return 2 }
func helpMark([]string) int { return 2 }
