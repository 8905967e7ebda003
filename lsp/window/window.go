// Package window shows things in the client's window: messages, questions, documents,
// progress, and the server's log (LSP 3.18, "Window Features"). A client that cannot show
// one of these, or does not answer, holds nothing up.
package window

import (
	"context"
	"time"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
	"go.uber.org/zap"

	"redline/lsp/wire"
)

// Client describes what the client can show.
type Client struct {
	Ask          bool // a question with answers to choose from
	ShowDocument bool
	Progress     bool
}

// NewClient reads the client's capabilities.
func NewClient(c *protocol.WindowClientCapabilities) Client {
	return Client{
		Ask:          c.ShowMessage != nil,
		ShowDocument: c.ShowDocument != nil && c.ShowDocument.Support,
		Progress:     c.WorkDoneProgress != nil && *c.WorkDoneProgress,
	}
}

// Timeouts bound how long a Window waits.
type Timeouts struct {
	Request time.Duration // for an answer that the client gives by itself
	Ask     time.Duration // for the user's answer to a question
}

// Window is the window of one client.
type Window struct {
	Progress *Progress

	conn     *wire.Conn
	client   Client
	timeouts Timeouts
	log      *zap.Logger
}

// New returns the window of the client at the other end of a connection.
func New(conn *wire.Conn, c Client, t Timeouts, log *zap.Logger) *Window {
	return &Window{Progress: newProgress(conn, c.Progress, t.Request, log), conn: conn, client: c, timeouts: t, log: log}
}

// Client returns what the client can show.
func (w *Window) Client() Client { return w.client }

// ShowDocument shows a document to the user if the client can (LSP 3.18, "Show Document
// Request"), and reports whether the client said that it did. Not every client answers, so
// nothing may depend on the result.
func (w *Window) ShowDocument(ctx context.Context, documentURI string, at *protocol.Range, focus bool) bool {
	if !w.client.ShowDocument || documentURI == "" {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, w.timeouts.Request)
	defer cancel()
	var result protocol.ShowDocumentResult
	err := w.conn.Call(ctx, "window/showDocument", &protocol.ShowDocumentParams{
		URI: uri.URI(documentURI), TakeFocus: &focus, Selection: at,
	}, &result)
	return err == nil && result.Success
}
