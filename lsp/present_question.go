package lsp

import (
	"strings"

	"redline/agent"
	"redline/edits"
	"redline/lsp/window"
)

// offers tells whether a client can put a question with these options in a way
// that they can be chosen. It is never the only way to answer.
func (c *client) offers(options []string) bool { return c.window.Ask && len(options) > 0 }

// tellQuestion tells what the model asks, where the client does not put the
// question itself. It stands in the chat file in full.
func (p *presenter) tellQuestion(e agent.Event) {
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
	s.window.Info(line + " Answer in the chat, " + s.pages.chat() + ".")
}
