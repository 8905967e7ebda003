package lsp

import (
	"context"

	"go.lsp.dev/protocol"

	"redline/agent/chat"
	"redline/lsp/pages"
	"redline/lsp/wire"
)

// completion completes the message in the chat file (LSP 3.18, "Completion Request"). In other
// documents it answers null at once, never an empty list, which some editors would show
// instead of another server's list.
func (s *session) completion(_ context.Context, p *positionParams) (wire.Run, error) {
	at := s.locations.Find(p.TextDocument.URI, protocol.Range{Start: p.Position, End: p.Position})
	if at.Own != pages.ChatFile || at.Buffer == nil || s.backend.Agent() == nil {
		return nothing, nil
	}
	return func(ctx context.Context) (any, error) {
		lines := at.Buffer.Lines
		c, ok := chat.CompletingAt(lines.Text(), at.Span(lines, at.Selection).Start)
		if !ok {
			return nil, nil
		}
		items := s.completer.Complete(ctx, c, at.Range(lines, c.Span), at.Snapshot)
		return &protocol.CompletionList{IsIncomplete: c.What == chat.MentionedName, Items: items}, nil
	}, nil
}

// nothing answers a request with null.
func nothing(context.Context) (any, error) { return nil, nil }
