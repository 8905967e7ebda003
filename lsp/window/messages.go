package window

import (
	"strings"

	"go.lsp.dev/protocol"
	"go.uber.org/zap"

	"redline/edits"
	"redline/internal/phrase"
)

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
