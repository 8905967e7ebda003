package lsp

import (
	"context"
	"strings"

	"go.lsp.dev/protocol"

	"redline/agent"
	"redline/lsp/apply"
	"redline/lsp/position"
)

// editor is the connected client as the agent uses it.
type editor struct {
	*apply.Applier
	session *session
}

var _ agent.Editor = (*editor)(nil)

// Show implements agent.Editor. It does nothing if the client cannot show documents.
func (e *editor) Show(ctx context.Context, at agent.Location) error {
	place := protocol.Position{Line: position.Clamp(at.Line)}
	e.session.window.ShowDocument(ctx, e.session.workspace.URI(at.Path), &protocol.Range{Start: place, End: place}, true)
	return nil
}

// Ask implements agent.Editor with window/showMessageRequest (LSP 3.18). A client that
// does not announce that gets a message instead, and the user decides by code actions
// and commands. An open question can also be answered in the chat, see tellQuestion.
func (e *editor) Ask(ctx context.Context, q agent.Question) (agent.Answer, error) {
	s := e.session
	if q.Open && !s.client.offers(q.Options) {
		return agent.Answer{}, nil // it was told in a message
	}
	if !s.client.window.Ask {
		s.window.Info(strings.TrimSuffix(q.Text, "?") + ": approve or reject it where it is shown.")
		return agent.Answer{}, nil
	}
	choice, err := s.window.Choose(ctx, q.Text, q.Options)
	return agent.Answer{Choice: choice}, err
}

// Notify implements agent.Editor.
func (e *editor) Notify(event agent.Event) { e.session.presenter.take(event) }
