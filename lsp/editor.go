package lsp

import (
	"context"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"redline/agent"
)

// editor is the connected client as the agent sees it.
type editor struct {
	*applier
	session *session
}

var _ agent.Editor = (*editor)(nil)

// Show implements agent.Editor. A client that cannot show documents is left
// alone.
func (e *editor) Show(ctx context.Context, at agent.Location) error {
	place := protocol.Position{Line: clamp32(at.Line)}
	e.session.showDocument(ctx, e.workspace.URI(at.Path), &protocol.Range{Start: place, End: place}, true)
	return nil
}

// Ask implements agent.Editor. Not every client can put a question
// (window/showMessageRequest), so none is asked: the user decides by code
// actions and commands.
func (e *editor) Ask(context.Context, agent.Question) (agent.Answer, error) {
	return agent.Answer{}, nil
}

// Notify implements agent.Editor.
func (e *editor) Notify(event agent.Event) { e.session.presenter.take(event) }

// showDocument brings a document to the user's eyes if the client can do that
// (LSP 3.18, "Show Document Request"). Not every client answers, so nothing
// depends on the answer; it tells whether the client said yes.
func (s *session) showDocument(ctx context.Context, documentURI string, at *protocol.Range, focus bool) bool {
	if !s.client.showDocument || documentURI == "" {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, s.timeouts.Request)
	defer cancel()
	var result protocol.ShowDocumentResult
	err := s.conn.Call(ctx, "window/showDocument", &protocol.ShowDocumentParams{
		URI: uri.URI(documentURI), TakeFocus: &focus, Selection: at,
	}, &result)
	return err == nil && result.Success
}
