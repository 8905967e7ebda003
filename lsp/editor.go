package lsp

import (
	"context"
	"strings"

	"go.lsp.dev/protocol"

	"redline/agent/editor"
	"redline/agent/event"
	"redline/lsp/apply"
	"redline/lsp/position"
)

// userEditor is the connected client as the agent uses it.
type userEditor struct {
	*apply.Applier
	session *session
}

var _ editor.Editor = (*userEditor)(nil)

// Show implements editor.Editor. It does nothing if the client cannot show documents.
func (e *userEditor) Show(ctx context.Context, at editor.Location) error {
	place := protocol.Position{Line: position.Clamp(at.Line)}
	e.session.window.ShowDocument(ctx, e.session.workspace.URI(at.Path), &protocol.Range{Start: place, End: place}, true)
	return nil
}

// Ask implements editor.Editor with window/showMessageRequest (LSP 3.18). A client that
// does not announce that gets a message instead, and the user decides by code actions
// and commands. An open question can also be answered in the chat, see tellQuestion.
func (e *userEditor) Ask(ctx context.Context, q editor.Question) (editor.Answer, error) {
	s := e.session
	if q.Open && !s.client.offers(q.Options) {
		return editor.Answer{}, nil // it was told in a message
	}
	if !s.client.window.Ask {
		s.window.Info(strings.TrimSuffix(q.Text, "?") + ": approve or reject it where it is shown.")
		return editor.Answer{}, nil
	}
	choice, err := s.window.Choose(ctx, q.Text, q.Options)
	return editor.Answer{Choice: choice}, err
}

// Notify implements editor.Editor.
func (e *userEditor) Notify(event event.Event) { e.session.presenter.take(event) }
