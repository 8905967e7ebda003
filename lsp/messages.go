package lsp

import (
	"fmt"
	"strings"

	"go.lsp.dev/protocol"
	"go.uber.org/zap"

	"redline/edits"
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

// inOneLine is text as a person is shown it outside of a page: what models and
// files have named makes no line of its own, nothing in it is hidden, and there are
// no tabs in it.
func inOneLine(text string) string {
	return edits.Visible(strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' || r == '\t' }), " "))
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
	if runes := []rune(line); len(runes) > maxMessage {
		return string(runes[:maxMessage-1]) + "…", false
	}
	return line, whole
}

// count names a number of things: "1 file", "3 files".
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// sentence makes text a sentence: one line, with a full stop.
func sentence(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if text == "" || strings.ContainsAny(text[len(text)-1:], ".!?") {
		return text
	}
	return text + "."
}
