// Package window shows things in the client's window: messages, questions, documents,
// progress, and the server's log (LSP 3.18, "Window Features"). A client that cannot show
// one of these, or does not answer, holds nothing up.
package window

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"redline/edits"
	"redline/internal/phrase"
	"redline/internal/wire"
)

// Client describes what the client can show.
type Client struct {
	Ask          bool // a question with answers to choose from
	ShowDocument bool
	Follows      bool // it follows the events, and places the documents that it shows itself
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
	typed    atomic.Bool // since the user's last command
}

// New returns the window of the client at the other end of a connection.
func New(conn *wire.Conn, c Client, t Timeouts, log *zap.Logger) *Window {
	return &Window{Progress: newProgress(conn, c.Progress, t.Request, log), conn: conn, client: c, timeouts: t, log: log}
}

// Client returns what the client can show.
func (w *Window) Client() Client { return w.client }

// Acted records that the user has run a command, so the keyboard is not in the middle of a text.
func (w *Window) Acted() { w.typed.Store(false) }

// Typed records that the user has changed a text.
func (w *Window) Typed() { w.typed.Store(true) }

// Interrupts reports whether a document that opens now may take the keys that the user is typing: in
// Helix they would change the document. LSP has no word for the mode of an editor, but it has the
// changes of its texts. A client that follows the events opens documents where they take no keys,
// unless they take the focus.
func (w *Window) Interrupts(focus bool) bool { return w.typed.Load() && (focus || !w.client.Follows) }

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

// Choose asks the user a question with options (LSP 3.18, "ShowMessage Request") and
// returns the chosen one, "" for none. Clients answer a dismissal with null or {}, or
// never; Choose takes all of these, and an answer that was not offered, as none. It fails
// if the client has disconnected.
func (w *Window) Choose(ctx context.Context, text string, options []string) (string, error) {
	params := &protocol.ShowMessageRequestParams{Type: protocol.MessageTypeInfo, Message: "Redline: " + OneLine(text)}
	for _, option := range options {
		params.Actions = append(params.Actions, protocol.MessageActionItem{Title: option})
	}
	asked, cancel := context.WithTimeout(ctx, w.timeouts.Ask)
	defer cancel()
	var answer json.RawMessage
	if err := w.conn.Call(asked, "window/showMessageRequest", params, &answer); err != nil {
		if w.conn.Context().Err() != nil {
			return "", err
		}
		w.log.Debug("a question was not answered", zap.Error(err))
		return "", nil
	}
	var chosen struct {
		Title string `json:"title"`
	}
	if json.Unmarshal(answer, &chosen) != nil || !slices.Contains(options, chosen.Title) {
		return "", nil
	}
	return chosen.Title, nil
}

// Info shows the user a message of one line (LSP 3.18, "ShowMessage Notification"), which
// begins with "Redline: ".
func (w *Window) Info(text string) { w.show(protocol.MessageTypeInfo, text) }

// Warn shows a warning, like Info.
func (w *Window) Warn(text string) { w.show(protocol.MessageTypeWarning, text) }

// Tell calls Warn if warn is true, else Info.
func (w *Window) Tell(text string, warn bool) {
	if warn {
		w.Warn(text)
	} else {
		w.Info(text)
	}
}

// Error shows an error, like Info.
func (w *Window) Error(text string) { w.show(protocol.MessageTypeError, text) }

func (w *Window) show(kind protocol.MessageType, text string) {
	p := &protocol.ShowMessageParams{Type: kind, Message: "Redline: " + OneLine(text)}
	if err := w.conn.Notify(w.conn.Context(), "window/showMessage", p); err != nil {
		w.log.Debug("a message was not shown", zap.Error(err))
	}
}

// OneLine returns text for a message: on one line, without tabs, and with invisible
// characters made visible, whatever models and files put into it.
func OneLine(text string) string {
	return edits.Visible(phrase.JoinAt(text, "\r\n\t"))
}

// MaxMessage is the longest part of an answer that a message shows, in characters.
const MaxMessage = 200

// Excerpt returns the first line of text in at most MaxMessage characters, without tabs,
// and reports whether that is the whole text.
func Excerpt(text string) (line string, whole bool) {
	text = strings.TrimSpace(text)
	line, rest, _ := strings.Cut(text, "\n")
	line = strings.ReplaceAll(strings.TrimSpace(line), "\t", " ")
	whole = strings.TrimSpace(rest) == ""
	clipped := phrase.Clip(line, MaxMessage)
	return clipped, whole && clipped == line
}

// LogMessages is a zap core that sends log entries to the editor's log
// (LSP 3.18, "LogMessage Notification").
type LogMessages struct {
	zapcore.Level
	conn   *atomic.Pointer[wire.Conn] // holds nil until there is a connection
	fields []zapcore.Field
}

// NewLogMessages returns a core that sends entries of level and above, once it has a
// connection.
func NewLogMessages(level zapcore.Level) *LogMessages {
	return &LogMessages{Level: level, conn: new(atomic.Pointer[wire.Conn])}
}

// Connect sends entries over c from now on.
func (l *LogMessages) Connect(c *wire.Conn) { l.conn.Store(c) }

// With implements [zapcore.Core].
func (l *LogMessages) With(fields []zapcore.Field) zapcore.Core {
	return &LogMessages{Level: l.Level, conn: l.conn, fields: slices.Concat(l.fields, fields)}
}

// Check implements [zapcore.Core].
func (l *LogMessages) Check(e zapcore.Entry, ce *zapcore.CheckedEntry) *zapcore.CheckedEntry {
	if l.Enabled(e.Level) {
		return ce.AddCore(e, l)
	}
	return ce
}

// Write implements [zapcore.Core]. It never waits for the editor.
func (l *LogMessages) Write(e zapcore.Entry, fields []zapcore.Field) error {
	conn := l.conn.Load()
	if conn == nil {
		return nil
	}
	values := zapcore.NewMapObjectEncoder()
	for _, f := range slices.Concat(l.fields, fields) {
		f.AddTo(values)
	}
	var text strings.Builder
	text.WriteString(e.Message)
	for _, name := range slices.Sorted(maps.Keys(values.Fields)) {
		if name != "stack" {
			fmt.Fprintf(&text, " %s=%v", name, values.Fields[name])
		}
	}
	return conn.Notify(conn.Context(), "window/logMessage", &protocol.LogMessageParams{
		Type: messageType(e.Level), Message: text.String(),
	})
}

// Sync implements [zapcore.Core].
func (l *LogMessages) Sync() error { return nil }

func messageType(level zapcore.Level) protocol.MessageType {
	switch {
	case level >= zapcore.ErrorLevel:
		return protocol.MessageTypeError
	case level >= zapcore.WarnLevel:
		return protocol.MessageTypeWarning
	case level >= zapcore.InfoLevel:
		return protocol.MessageTypeInfo
	}
	return protocol.MessageTypeLog
}
