package lsptest

import (
	"io"
	"sync"
)

// Pipe returns two ends of a connection in memory. What is written to one end is read from the
// other; writing never blocks, like a large enough pipe of the operating system. Closing one end ends
// the input of the other, after what was written before.
func Pipe() (a, b io.ReadWriteCloser) {
	x, y := newBuffered(), newBuffered()
	return &end{x, y}, &end{y, x}
}

// end is one end of a Pipe.
type end struct{ in, out *buffered }

func (e *end) Read(p []byte) (int, error)  { return e.in.read(p) }
func (e *end) Write(p []byte) (int, error) { return e.out.write(p) }

func (e *end) Close() error {
	e.in.close()
	e.out.close()
	return nil
}

// buffered is one direction of a Pipe.
type buffered struct {
	mu     sync.Mutex
	wake   *sync.Cond
	data   []byte
	closed bool
}

func newBuffered() *buffered {
	b := &buffered{}
	b.wake = sync.NewCond(&b.mu)
	return b
}

func (b *buffered) read(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(b.data) == 0 {
		if b.closed {
			return 0, io.EOF
		}
		b.wake.Wait()
	}
	n := copy(p, b.data)
	b.data = b.data[n:]
	return n, nil
}

func (b *buffered) write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return 0, io.ErrClosedPipe
	}
	b.data = append(b.data, p...)
	b.wake.Broadcast()
	return len(p), nil
}

func (b *buffered) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	b.wake.Broadcast()
}
