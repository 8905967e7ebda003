package wire

import (
	"io"
	"strconv"
	"sync"
	"time"
)

// outbox holds the frames to write, in order. put never blocks, so that no handler and no read loop
// waits for a busy client; [outbox.full] and [outbox.room] keep it from growing without bound.
type outbox struct {
	w     io.Writer
	limit int // bytes that may wait before the outbox counts as full

	mu     sync.Mutex
	frames [][]byte
	size   int           // bytes in frames
	wake   chan struct{} // closed and replaced at each change
	closed bool
	dead   bool // writing failed

	drained chan struct{} // closed when run has returned
}

func newOutbox(w io.Writer, limit int) *outbox {
	return &outbox{w: w, limit: limit, wake: make(chan struct{}), drained: make(chan struct{})}
}

// put queues one message. It returns ErrClosed once the outbox is closed or writing has failed.
func (o *outbox) put(body []byte) error {
	frame := make([]byte, 0, len(body)+32)
	frame = append(frame, "Content-Length: "...)
	frame = strconv.AppendInt(frame, int64(len(body)), 10)
	frame = append(frame, "\r\n\r\n"...)
	frame = append(frame, body...)
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed || o.dead {
		return ErrClosed
	}
	o.frames = append(o.frames, frame)
	o.size += len(frame)
	o.changed()
	return nil
}

// run writes queued frames until the outbox is closed and empty, or a write fails.
func (o *outbox) run() error {
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

// take waits for frames and returns all of them, false when the outbox is closed and empty.
func (o *outbox) take() ([][]byte, bool) {
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

// full reports whether the waiting bytes have reached the limit.
func (o *outbox) full() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.size >= o.limit
}

// room blocks while the outbox is full and usable, or until done is closed.
func (o *outbox) room(done <-chan struct{}) {
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

// close refuses new messages, and lets run write what is queued, for at most the given time.
func (o *outbox) close(flush time.Duration) {
	o.update(func() { o.closed = true })
	select {
	case <-o.drained:
	case <-time.After(flush):
	}
}

// update makes a change with o.mu held, and wakes all waiters.
func (o *outbox) update(change func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	change()
	o.changed()
}

// changed wakes all waiters; the caller holds o.mu.
func (o *outbox) changed() {
	close(o.wake)
	o.wake = make(chan struct{})
}
