package lsp

import (
	"strings"

	"go.lsp.dev/protocol"
	"go.uber.org/zap"

	"redline/edits"
	"redline/internal/phrase"
	"redline/lsp/wire"
)

// messages tells the user things in one line each (LSP 3.18, "ShowMessage
// Notification"). Every text begins with "Redline: ".
type messages struct {
	conn *wire.Conn
	log  *zap.Logger
}

func (m *messages) info(text string)  { m.show(protocol.MessageTypeInfo, text) }
func (m *messages) warn(text string)  { m.show(protocol.MessageTypeWarning, text) }
func (m *messages) error(text string) { m.show(protocol.MessageTypeError, text) }

func (m *messages) show(kind protocol.MessageType, text string) {
	p := &protocol.ShowMessageParams{Type: kind, Message: "Redline: " + inOneLine(text)}
	if err := m.conn.Notify(m.conn.Context(), "window/showMessage", p); err != nil {
		m.log.Debug("a message was not shown", zap.Error(err))
	}
}

// inOneLine returns text for a message: on one line, without tabs, and with invisible
// characters made visible, whatever models and files have put into it.
func inOneLine(text string) string {
	return edits.Visible(phrase.JoinAt(text, "\r\n\t"))
}

// maxMessage is how much of an answer fits into a message, in characters.
const maxMessage = 200

// excerpt returns the first line of text in at most maxMessage characters, without
// tabs, and whether that was all of it.
func excerpt(text string) (line string, whole bool) {
	text = strings.TrimSpace(text)
	line, rest, _ := strings.Cut(text, "\n")
	line = strings.ReplaceAll(strings.TrimSpace(line), "\t", " ")
	whole = strings.TrimSpace(rest) == ""
	clipped := phrase.Clip(line, maxMessage)
	return clipped, whole && clipped == line
}

// sentence returns text on one line and with a full stop.
func sentence(text string) string { return phrase.FullStop(phrase.OneLine(text)) }
