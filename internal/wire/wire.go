// Package wire makes a JSON-RPC connection that outlives its input: from bytes to a method call, by
// the LSP base protocol, and back, for a server or for a client ([Options].Client). It knows nothing
// about what the methods do.
//
// Notifications and the first part of every request run on the read loop, in wire order; the rest of
// a request runs beside it. No message ends the connection: if a message cannot be read, decoded or
// handled, the connection answers with an error or logs it, and reads the next one. The log holds
// methods, sizes and reasons, never the contents of a message.
package wire

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.uber.org/zap"

	"redline/internal/outbox"
	"redline/internal/tasks"
)

const (
	// DefaultCallTimeout bounds a [Conn.Call] whose context has no deadline.
	DefaultCallTimeout = 10 * time.Second

	defaultMaxFrame   = 64 << 20
	defaultMaxBacklog = 64 << 20

	answerGrace = 2 * time.Second // for what runs at the end of input, to answer
	flushGrace  = time.Second     // for a client that closes its side, to read the rest
)

// Options configure a connection; the zero value is usable.
type Options struct {
	// Log receives methods, sizes and reasons, never contents. Nil logs nothing.
	Log *zap.Logger
	// MaxFrame is the longest message, in bytes, that is held in memory (64 MiB when 0). A longer
	// one is skipped and refused, with its id if that comes before the params, else with a null id.
	MaxFrame int
	// MaxBacklog is how many bytes may wait for a client that does not read (64 MiB when 0). Beyond
	// that, Notify and Call fail with [ErrBacklog], and no further message is read until the client
	// has caught up. Answers always queue.
	MaxBacklog int
	// Client says that this side is the client: then every request and notification of the other side
	// is handled, and its life cycle is the caller's. Otherwise the first one must be initialize (LSP
	// 3.18, "Server lifecycle").
	Client bool
}

// Conn is one connection. All methods may be called from any goroutine.
type Conn struct {
	rpc    jsonrpc2.Conn
	rwc    io.Closer
	stream *stream
	router *Router
	log    *zap.Logger
	peer   string // what the other side is called in errors

	ctx    context.Context // parent of everything that the connection runs
	cancel context.CancelFunc
	inline context.Context // ctx, marked for code on the read loop
	life   lifecycle       // read loop only

	work tasks.Group // handlers, and what Go started

	mu      sync.Mutex
	running map[jsonrpc2.ID]context.CancelFunc
	err     error
	done    chan struct{}
}

// NewConn returns a connection over rwc that has read nothing yet, so that handlers can refer to it.
// It ends with ctx, at the end of input, or by [Conn.Close], and then closes rwc.
func NewConn(ctx context.Context, rwc io.ReadWriteCloser, r *Router, o Options) *Conn {
	if o.Log == nil {
		o.Log = zap.NewNop()
	}
	peer, life := "the editor", uninitialized
	if o.Client {
		peer, life = "the language server", asClient
	}
	o.MaxFrame, o.MaxBacklog = cmp.Or(o.MaxFrame, defaultMaxFrame), cmp.Or(o.MaxBacklog, defaultMaxBacklog)
	c := &Conn{
		rwc: rwc, router: r, log: o.Log, peer: peer, life: life,
		running: map[jsonrpc2.ID]context.CancelFunc{},
		done:    make(chan struct{}),
	}
	c.ctx, c.cancel = context.WithCancel(ctx)
	c.inline = context.WithValue(c.ctx, inlineKey{}, true)
	c.stream = &stream{
		out: outbox.New(rwc, o.MaxBacklog), log: o.Log,
		ctx: c.ctx, end: c.end, closed: make(chan struct{}),
	}
	c.stream.frames = newFramer(rwc, o.MaxFrame, c.stream.unreadable)
	c.rpc = jsonrpc2.NewConn(c.stream, jsonrpc2.WithCodec(codec{}))
	return c
}

// Start starts reading and writing. Call it once; it returns at once.
func (c *Conn) Start() {
	go c.writeOut()
	go c.finish()
	c.rpc.Go(c.ctx, c.handle)
}

// Context returns a context that is done when the connection has ended, for work that must not
// outlive the client.
func (c *Conn) Context() context.Context { return c.ctx }

// Done returns a channel that is closed when the connection has ended, the handlers and what
// [Conn.Go] started have returned (or 2 s have passed) and the transport is closed.
func (c *Conn) Done() <-chan struct{} { return c.done }

// Err returns why the connection ended: nil before that, after Close and at a clean end of input.
func (c *Conn) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// Close ends the connection: it cancels what runs, and still writes what is queued. It does not wait
// (use Done for that), so handlers may call it.
func (c *Conn) Close() { c.end(nil) }

// Go runs f off the read loop, for work that a notification causes. The context of f ends with the
// connection, whose end waits for f (see [Conn.Done]). A panic in f is logged under name and goes no
// further.
func (c *Conn) Go(name string, f func(ctx context.Context)) {
	c.work.Go(func() {
		_ = c.contain(name, func() error { f(c.ctx); return nil }) // logged there
	})
}

// Notify sends a notification. It never waits for the client: see [Options].MaxBacklog.
func (c *Conn) Notify(ctx context.Context, method string, params any) error {
	if c.stream.out.Full() {
		return ErrBacklog
	}
	return c.sent(c.rpc.Notify(ctx, method, params))
}

// Call sends a request and waits for its answer, which it decodes into result (nil discards it; a
// *json.RawMessage takes it as it is). It waits until ctx is done, at most [DefaultCallTimeout] when
// ctx has no deadline; giving up sends $/cancelRequest. The client's error answer is a
// *jsonrpc2.Error; no answer in time matches [context.DeadlineExceeded].
//
// Code that runs on the read loop (a notification handler or prepare, with their context) gets
// [ErrInline].
func (c *Conn) Call(ctx context.Context, method string, params, result any) error {
	if ctx.Value(inlineKey{}) != nil {
		return ErrInline
	}
	if c.stream.out.Full() {
		return ErrBacklog
	}
	if _, ok := ctx.Deadline(); !ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, DefaultCallTimeout)
		defer cancel()
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(c.ctx, cancel)()

	id, err := c.rpc.Call(ctx, method, params, result)
	if err == nil || ctx.Err() == nil || !errors.Is(err, ctx.Err()) {
		return c.sent(err)
	}
	if c.ctx.Err() != nil {
		return ErrClosed
	}
	number, _ := id.Number()
	_ = c.Notify(c.ctx, "$/cancelRequest", jsonrpc2.RawMessage(fmt.Sprintf(`{"id":%d}`, number))) // a courtesy
	return fmt.Errorf("%s did not answer %s: %w", c.peer, method, err)
}

// sent maps the errors of package jsonrpc2 for a message that could not be sent.
func (c *Conn) sent(err error) error {
	var answer *jsonrpc2.Error
	if err != nil && c.ctx.Err() != nil && !errors.As(err, &answer) {
		return ErrClosed
	}
	return err
}

// end begins the end of the connection; the first reason counts.
func (c *Conn) end(reason error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ctx.Err() != nil {
		return
	}
	if reason != nil && !errors.Is(reason, io.EOF) {
		c.err = reason
	}
	c.cancel()
}

func (c *Conn) writeOut() {
	if err := c.stream.out.Run(); err != nil {
		c.end(fmt.Errorf("cannot write to %s: %w", c.peer, err))
	}
}

// finish waits until the running requests have answered, writes what is left and closes the
// transport.
func (c *Conn) finish() {
	defer close(c.done)
	<-c.ctx.Done()
	end := time.Now().Add(answerGrace)
	answered := true
	select {
	case <-c.stream.answered():
	case <-c.stream.out.Drained(): // nobody reads answers any more
	case <-time.After(answerGrace):
		answered = false
	}
	if !c.work.Wait(time.Until(end)) || !answered {
		c.log.Warn("some work did not stop when the connection ended")
	}
	c.stream.out.Close(flushGrace)
	close(c.stream.closed)
	if err := c.rwc.Close(); err != nil {
		c.log.Debug("closing the transport failed", zap.Error(err))
	}
}
