package present

import (
	"strings"

	"redline/agent/event"
	"redline/edits"
	"redline/lsp/window"
)

// offers reports whether the client can show a question with these options to choose from.
// The user can always answer in the chat instead.
func (p *Presenter) offers(options []string) bool {
	return p.Window.Client().Ask && len(options) > 0
}

// tellQuestion shows the model's question as a message to a client that cannot offer its
// options. The chat file has it in full.
func (p *Presenter) tellQuestion(e event.Event) {
	if p.offers(e.Options) {
		return
	}
	line, whole := window.Excerpt(edits.Visible(e.Text))
	if !whole {
		line += " …"
	}
	if len(e.Options) > 0 {
		line += " (" + edits.Visible(strings.Join(e.Options, " / ")) + ")"
	}
	p.Window.Info(line + " Answer in the chat, " + p.Pages.ChatName() + ".")
}
