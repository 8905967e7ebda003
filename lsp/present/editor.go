package present

import (
	"context"
	"strings"

	"go.lsp.dev/protocol"

	"redline/agent/editor"
	"redline/lsp/position"
)

// Show implements editor.Editor. It does nothing if the client cannot show documents.
func (p *Presenter) Show(ctx context.Context, at editor.Location) error {
	place := protocol.Position{Line: position.Clamp(at.Line)}
	p.Window.ShowDocument(ctx, p.Workspace.URI(at.Path), &protocol.Range{Start: place, End: place}, true)
	return nil
}

// Ask implements editor.Editor with window/showMessageRequest (LSP 3.18). A client that does
// not announce it gets a message instead, and the user decides with code actions and
// commands. The user can also answer an open question in the chat, see tellQuestion.
func (p *Presenter) Ask(ctx context.Context, q editor.Question) (editor.Answer, error) {
	if q.Open && !p.offers(q.Options) {
		return editor.Answer{}, nil // tellQuestion shows it as a message
	}
	if !p.Window.Client().Ask {
		p.Window.Info(strings.TrimSuffix(q.Text, "?") + ": approve or reject it where it is shown.")
		return editor.Answer{}, nil
	}
	choice, err := p.Window.Choose(ctx, q.Text, q.Options)
	return editor.Answer{Choice: choice}, err
}
