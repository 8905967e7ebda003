package lsp

import (
	"strings"

	"redline/agent/event"
	"redline/edits"
	"redline/lsp/window"
)

// offers reports whether a client can show a question with these options to choose from.
// It is never the only way to answer.
func (c *client) offers(options []string) bool { return c.window.Ask && len(options) > 0 }

// tellQuestion shows the model's question in a message, for a client that cannot offer
// its options. The chat file has it in full.
func (p *presenter) tellQuestion(e event.Event) {
	s := p.session
	if s.client.offers(e.Options) {
		return
	}
	line, whole := window.Excerpt(edits.Visible(e.Text))
	if !whole {
		line += " …"
	}
	if len(e.Options) > 0 {
		line += " (" + edits.Visible(strings.Join(e.Options, " / ")) + ")"
	}
	s.window.Info(line + " Answer in the chat, " + s.pages.ChatName() + ".")
}
