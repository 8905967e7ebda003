package lsptest

import (
	"context"
	"fmt"
	"io"

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
