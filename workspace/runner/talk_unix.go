//go:build unix

package runner

import (
	"context"
	"errors"
	"io"
	"os"
	"time"
)

const (
	// talkGrace is how long Talk may take to return once the command is to stop.
	talkGrace = 8 * time.Second
	// lastWords is how long Talk may take to read the last of a command that has ended.
	lastWords = 2 * time.Second
)

// exitGrace is how long a command may take to exit by itself once its input has ended; then it is asked to. The user
// waits for that: codex-acp never exits by itself, opencode and gemini take more than a second.
var exitGrace = 500 * time.Millisecond

// talk is what a parent process says to a command and hears from it, see [Command].
type talk struct {
	h         *helper
	c         Command
	ctx       context.Context
	cancel    context.CancelFunc
	over      chan struct{} // closed when it has ended; nil before it has begun
	err       error
	late      bool // the time of the command ended it
	dismissed bool // the command did not exit after it
}

func (h *helper) talk(ctx context.Context, c Command) *talk {
	t := &talk{h: h, c: c}
	t.ctx, t.cancel = context.WithCancel(ctx)
	return t
}

// begin begins to talk to the command, which has just been started. It returns a channel that is closed
// when Talk has returned; nil if there is no Talk.
func (t *talk) begin() <-chan struct{} {
	if t.h.stdin == nil {
		return nil
	}
	t.over = make(chan struct{})
	if t.c.Talk == nil {
		go func() {
			defer close(t.over)
			_, _ = t.h.stdin.Write(t.c.Input) // an error means that the command reads no more
			t.h.stdin.Close()
		}()
		return nil
	}
	talked := make(chan struct{})
	go func() {
		defer close(t.over)
		t.err = t.c.Talk(t.ctx, stream{t.h.stdout, t.h.stdin})
		t.late = t.err != nil && errors.Is(t.ctx.Err(), context.DeadlineExceeded)
		close(talked)
		t.h.stdin.Close()
		_, _ = io.Copy(io.Discard, t.h.stdout) // a command that cannot write could not exit
	}()
	return talked
}

// finish waits until all is said, after the command has ended.
func (t *talk) finish() {
	defer t.cancel()
	if t.over == nil {
		return
	}
	if t.c.Talk == nil {
		t.h.stdin.Close()
	}
	select {
	case <-t.over:
	case <-time.After(lastWords):
		t.cancel()
		t.h.stdin.Close()
		<-t.over
	}
}

// stream is the standard output and input of a command.
type stream struct{ stdout, stdin *os.File }

// Read implements [io.Reader].
func (s stream) Read(p []byte) (int, error) { return s.stdout.Read(p) }

// Write implements [io.Writer].
func (s stream) Write(p []byte) (int, error) { return s.stdin.Write(p) }
