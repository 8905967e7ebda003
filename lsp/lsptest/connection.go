package lsptest

import (
	"context"
	"fmt"
	"io"
	"sync"
	"sync/atomic"

	"go.lsp.dev/jsonrpc2"
)

// connection owns the link to the current server.
type connection struct {
	outlives bool // the editor continues when its server ends

	link atomic.Pointer[link] // replaced by Reconnect
}

func (c *connection) linked() *link { return c.link.Load() }

// notify sends a notification. The notifications of one goroutine go out in order.
func (c *connection) notify(method string, params any) error {
	l := c.linked()
	err := l.conn.Notify(l.ctx, method, params)
	if c.outlives {
		return nil // the next server is shown the texts as they are then
	}
	return err
}

// Lost returns a channel that is closed when the connection has ended and everything that the current
// server sent has been handled.
func (c *connection) Lost() <-chan struct{} { return c.linked().conn.Done() }

// Kill ends the session like a crash: it closes the transport and sends nothing.
func (c *connection) Kill() { c.linked().end() }

// Transcript returns every message so far, one per line: "->" to the server, "<-" from it. Long ones
// are cut. After Reconnect it begins with the previous connection.
func (c *connection) Transcript() string {
	l := c.linked()
	return l.before + l.stream.transcript()
}

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

// link is the connection to one server.
type link struct {
	conn   jsonrpc2.Conn
	stream *stream
	ctx    context.Context // done when the editor has no more to do with this server
	cancel context.CancelFunc
	before string // transcript of the connection before
}

func (e *Editor) connect(ctx context.Context, rwc io.ReadWriteCloser) *link {
	l := &link{stream: newStream(rwc)}
	l.ctx, l.cancel = context.WithCancel(context.WithoutCancel(ctx))
	l.conn = jsonrpc2.NewConn(l.stream)
	l.conn.Go(l.ctx, func(ctx context.Context, req *jsonrpc2.Request) (any, error) { return incoming{e}.handle(ctx, l, req) })
	return l
}

func (l *link) end() {
	l.cancel()
	_ = l.stream.Close() // the other side may have closed it
	<-l.conn.Done()
}

// OutlivesServer makes an editor that continues when its server ends, as real ones do: the user can
// type and save, Await keeps waiting, and Reconnect connects to the next server.
func OutlivesServer() Option { return func(o *options) { o.outlives = true } }

// Reconnect connects to another server, in place of the one that has ended, and does the handshake. It
// then opens every document that the previous server knew of, with the current text of its buffer.
// What that server was showing is gone: diagnostics, and progress that had not ended. Reconnect calls
// the functions in between after the handshake and before it opens the documents, as in a slow editor.
func (e *Editor) Reconnect(ctx context.Context, rwc io.ReadWriteCloser, between ...func()) error {
	last := e.linked()
	last.end()
	next := e.connect(ctx, rwc)
	next.before = last.stream.transcript() + "-- another server --\n"
	e.documents.drop(func() { e.connection.link.Store(next) })
	e.received.reset()
	if err := e.handshake(ctx); err != nil {
		e.Kill()
		return fmt.Errorf("initialize: %w", err)
	}
	for _, do := range between {
		do()
	}
	return e.documents.attachAll()
}
