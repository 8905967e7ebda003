//go:build unix

package runner

import (
	"context"
	"encoding/json"
	"errors"
	"syscall"
	"time"

	"redline/internal/leash"
)

// following follows a command that a helper runs, in the parent process.
type following struct {
	*helper
	ctx    context.Context // done when the caller wants no more
	timer  context.Context // done then too, and when the command's time is over
	taking *taking
	talk   *talk
	live   *Live
	full   chan struct{} // closed when the command has written too much on a disk

	changing          chan error // the call of Live whose changes are not made yet; nil for none
	changed           int        // how many calls there were
	begun, asked      bool
	timedOut          bool // its time was over before it had ended
	first, last       notice
	late, over, hurry <-chan time.Time
}

const (
	// readingTime is how long a helper may take to send what a stopped command leaves.
	readingTime = dyingTime + 2*captureTime
	// stemTime is how long a helper may take to end a command that fills a disk.
	stemTime = 2 * time.Second
)

// follow waits until the helper has reported the end of the command, or has exited. It stops the command,
// once talk has returned, when the caller wants no more or its time is over, and at once when it has written
// too much. What the command leaves in its world goes to taking, unless the caller wants no more.
func (f *following) follow(notices <-chan notice) {
	done, cancelled, full := f.timer.Done(), f.ctx.Done(), (<-chan struct{})(f.full)
	var talked <-chan struct{}
	for {
		var live <-chan liveChange
		if f.first.Started > 0 && !f.asked && f.changing == nil { // one at a time: the helper reads it while it has nothing to say
			live = f.live.listen()
		}
		select {
		case c := <-live:
			f.changing = c.done
			f.changed++
			_ = json.NewEncoder(f.order).Encode(wants{Change: &changes{f.changed, c.changes}}) // an error means that the helper has exited
		case n, ok := <-notices:
			if !ok {
				return
			}
			if f.hear(n); f.begun && talked == nil && n.Started > 0 {
				talked = f.talk.begin()
			}
		case <-done:
			if done = nil; talked != nil {
				f.late = time.After(talkGrace)
			} else {
				f.stop()
			}
		case <-cancelled:
			if cancelled = nil; f.timedOut {
				f.stop()
			}
		case <-talked:
			if talked = nil; f.timer.Err() != nil {
				done = nil
				f.stop()
			} else {
				f.late = time.After(exitGrace)
			}
		case <-f.late:
			if f.late = nil; f.timer.Err() != nil {
				f.stop()
			} else {
				f.talk.dismissed = true
				f.ask(wants{End: true})
			}
		case <-full:
			full = nil
			f.stem()
		case <-f.hurry:
			f.process.Kill()
		case <-f.over:
			f.over = nil
			f.process.Kill()
			if f.process.Way == leash.Group && f.first.Started > 0 {
				_ = syscall.Kill(-f.first.Started, syscall.SIGKILL)
			}
		}
	}
}

// hear takes a notice of the helper.
func (f *following) hear(n notice) {
	switch {
	case !f.begun:
		f.first, f.begun = n, true
	case n.Told:
		f.last = n
	case n.Still:
		f.hurry = nil
	case n.Changed > 0 && f.changing != nil:
		var err error
		if n.Error != "" {
			err = errors.New(n.Error)
		}
		f.changing <- err
		f.changing = nil
	default:
		f.taking.add(n, f.order)
	}
}

// stop asks the helper to stop the command: to send what it leaves if its time is over, otherwise nothing.
func (f *following) stop() {
	f.late = nil
	if f.ctx.Err() != nil || f.taking.choose == nil {
		f.timedOut = f.timedOut || f.ctx.Err() == nil
		f.over = time.After(f.patience)
		f.order.Close()
		return
	}
	f.over = time.After(f.patience + readingTime)
	if !f.asked { // otherwise it had said all before
		f.timedOut = true
		f.ask(wants{End: true})
	}
}

// stem ends a command that has written too much on a disk.
func (f *following) stem() {
	if f.taking.choose == nil {
		f.process.Kill()
		return
	}
	f.hurry = time.After(stemTime)
	f.ask(wants{Kill: true})
}

func (f *following) ask(w wants) {
	f.asked = true
	_ = json.NewEncoder(f.order).Encode(w) // an error means that the helper has exited
}
