package lsptest

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"go.lsp.dev/jsonrpc2"
)

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
	l.conn.Go(l.ctx, func(ctx context.Context, req *jsonrpc2.Request) (any, error) { return e.handle(ctx, l, req) })
	return l
}

func (l *link) end() {
	l.cancel()
	_ = l.stream.Close() // the other side may have closed it
	<-l.conn.Done()
}

func (e *Editor) linked() *link {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.link
}

// OutlivesServer makes an editor that goes on when its server ends, as real ones do: the user can type
// and save, Await waits on, and Reconnect connects to the next server.
func OutlivesServer() Option { return func(o *options) { o.outlives = true } }

// Lost returns a channel that is closed when all that the present server sent has been taken in and the
// connection has ended.
func (e *Editor) Lost() <-chan struct{} { return e.linked().conn.Done() }

// Reconnect connects to another server, in place of the one that has ended, and does the handshake. It
// is shown every document that the one before knew of, with the text that is in its buffer now. What
// the server before had shown is gone: diagnostics, and progress that had not ended. What is to happen
// after the handshake and before the documents are shown, as in an editor that takes its time, is done
// in between.
func (e *Editor) Reconnect(ctx context.Context, rwc io.ReadWriteCloser, between ...func()) error {
	last := e.linked()
	last.end()
	next := e.connect(ctx, rwc)
	next.before = last.stream.transcript() + "-- another server --\n"
	e.mu.Lock()
	e.link, e.held, e.puller = next, nil, nil
	clear(e.diagnostics)
	clear(e.pulled)
	for i := range e.progress {
		e.progress[i].Done = true
	}
	e.signal()
	e.mu.Unlock()
	if err := e.handshake(ctx); err != nil {
		e.Kill()
		return fmt.Errorf("initialize: %w", err)
	}
	for _, do := range between {
		do()
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	var known []*buffer
	for _, b := range e.buffers {
		if b.attached {
			known = append(known, b)
		}
	}
	slices.SortFunc(known, func(a, b *buffer) int { return strings.Compare(a.key, b.key) })
	for _, b := range known {
		if err := e.attach(b); err != nil {
			return err
		}
	}
	return nil
}
