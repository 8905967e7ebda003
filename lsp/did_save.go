package lsp

import (
	"context"

	"redline/agent/chat"
	"redline/agent/conversation"
	"redline/internal/phrase"
	"redline/lsp/pages"
	"redline/lsp/position"
)

type didSaveParams struct {
	TextDocument position.TextDocument `json:"textDocument"`
	Text         *string               `json:"text"`
}

// didSave records that the disk has the document's text (LSP 3.18, "DidSaveTextDocument
// Notification"). If the chat file ends with the line /send, didSave sends its last request, for
// editors where a code action is hard to reach; otherwise it appends missing answers. A preview
// that the user has edited becomes a revision, unless the editor has saved it by itself.
func (s *session) didSave(_ context.Context, p *didSaveParams) error {
	uri := p.TextDocument.URI
	s.workspace.Saved(uri, p.Text)
	byItself := s.saves.did(uri)
	if name, b, ok := s.pages.Preview(uri); ok {
		if byItself {
			s.leavePreview(name, b)
		} else {
			s.readPreview(name, b)
		}
		return nil
	}
	if !s.pages.IsChat(uri) {
		return nil
	}
	buffer, ok := s.workspace.BufferURI(uri)
	if !ok || !chat.Sent(buffer.Lines.Text()) {
		s.conn.Go("chat", func(ctx context.Context) {
			if a, err := s.backend.Ready(ctx); err == nil {
				_ = a.ChatSaved() // the next save tries again
			}
		})
		return nil
	}
	message := conversation.Message{Text: "/send", Path: s.workspace.Own().Path(pages.ChatFile), Shown: s.shown.Now()}
	send := s.commands.Send(message)
	s.conn.Go("send", func(ctx context.Context) {
		if _, err := send(ctx); err != nil {
			s.window.Error(phrase.OneSentence(err.Error()))
		}
	})
	return nil
}
