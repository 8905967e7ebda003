package lsptest

import "sync/atomic"

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
