package lsptest

import "sync/atomic"

// connection owns the link to the server of now.
type connection struct {
	outlives bool // the editor goes on when its server ends

	link atomic.Pointer[link] // replaced by Reconnect
}

func (c *connection) linked() *link { return c.link.Load() }

// notify sends a notification. Those that one goroutine sends go out in order.
func (c *connection) notify(method string, params any) error {
	l := c.linked()
	err := l.conn.Notify(l.ctx, method, params)
	if c.outlives {
		return nil // the next server is shown the texts as they are then
	}
	return err
}

// Lost returns a channel that is closed when all that the present server sent has been taken in and the
// connection has ended.
func (c *connection) Lost() <-chan struct{} { return c.linked().conn.Done() }

// Kill ends the session like a crash: the transport is closed and nothing is said.
func (c *connection) Kill() { c.linked().end() }

// Transcript returns every message so far, one a line: "->" to the server, "<-" from it. Long ones
// are cut. After Reconnect it begins with the connection before this one.
func (c *connection) Transcript() string {
	l := c.linked()
	return l.before + l.stream.transcript()
}
