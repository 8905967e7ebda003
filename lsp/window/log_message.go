package window

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"

	"go.lsp.dev/protocol"
	"go.uber.org/zap/zapcore"

	"redline/lsp/wire"
)

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
