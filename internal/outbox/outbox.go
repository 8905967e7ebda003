// Package outbox writes messages to a peer in order, so that no goroutine that has something to say
// waits for a peer that does not read.
package outbox

import (
	"io"
	"sync"
	"time"
)

// Box holds the frames to write, in order. Put never blocks; [Box.Full] and [Box.Room] keep it from
// growing without bound. All methods may be called from any goroutine.
type Box struct {
	w     io.Writer
	limit int // bytes that may wait before the box counts as full

	mu     sync.Mutex
	frames [][]byte
	size   int           // bytes in frames
	wake   chan struct{} // closed and replaced at each change
	closed bool
	dead   bool // writing failed

	drained chan struct{} // closed when Run has returned
}

// New returns a box that writes to w and counts as full once limit bytes wait.
func New(w io.Writer, limit int) *Box {
	return &Box{w: w, limit: limit, wake: make(chan struct{}), drained: make(chan struct{})}
}

// Put queues one frame, which the box then owns. It returns false once the box is closed or writing
// has failed.
func (o *Box) Put(frame []byte) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed || o.dead {
		return false
	}
	o.frames = append(o.frames, frame)
	o.size += len(frame)
	o.changed()
	return true
}

// Run writes queued frames until the box is closed and empty, or a write fails. Call it once.
func (o *Box) Run() error {
	defer close(o.drained)
	for {
		frames, ok := o.take()
		if !ok {
			return nil
		}
		for _, frame := range frames {
			if _, err := o.w.Write(frame); err != nil {
				o.update(func() { o.dead = true })
				return err
			}
			o.update(func() { o.size -= len(frame) })
		}
	}
}

// take waits for frames and returns all of them, false when the box is closed and empty.
func (o *Box) take() ([][]byte, bool) {
	for {
		o.mu.Lock()
		frames, closed, wake := o.frames, o.closed, o.wake
		o.frames = nil
		o.mu.Unlock()
		if len(frames) > 0 {
			return frames, true
		}
		if closed {
			return nil, false
		}
		<-wake
	}
}

// Full reports whether the waiting bytes have reached the limit.
func (o *Box) Full() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.size >= o.limit
}

// Room blocks while the box is full and usable, or until done is closed.
func (o *Box) Room(done <-chan struct{}) {
	for {
		o.mu.Lock()
		full, wake := o.size >= o.limit && !o.closed && !o.dead, o.wake
		o.mu.Unlock()
		if !full {
			return
		}
		select {
		case <-wake:
		case <-done:
			return
		}
	}
}

// Close refuses new frames, and lets Run write what is queued, for at most the given time.
func (o *Box) Close(flush time.Duration) {
	o.update(func() { o.closed = true })
	select {
	case <-o.drained:
	case <-time.After(flush):
	}
}

// Drained returns a channel that is closed when Run has returned: nobody reads any more.
func (o *Box) Drained() <-chan struct{} { return o.drained }

// update makes a change with o.mu held, and wakes all waiters.
func (o *Box) update(change func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	change()
	o.changed()
}

// changed wakes all waiters; the caller holds o.mu.
func (o *Box) changed() {
	close(o.wake)
	o.wake = make(chan struct{})
}
