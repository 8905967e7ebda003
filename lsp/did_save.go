package lsp

import (
	"context"

	"redline/agent/chat"
	"redline/agent/conversation"
	"redline/internal/phrase"
	"redline/lsp/location"
	"redline/lsp/pages"
)

type didSaveParams struct {
	TextDocument location.TextDocument `json:"textDocument"`
	Text         *string               `json:"text"`
}

// didSave notes that the disk has the document's text. Saving the chat file
// sends its last request when that ends with the line /send, for editors where
// a code action is out of reach; else it gets the answers that are missing.
// Saving a preview makes a revision of what was changed in it.
func (s *session) didSave(_ context.Context, p *didSaveParams) error {
	uri := p.TextDocument.URI
	s.workspace.Saved(uri, p.Text)
	if name, b, ok := s.pages.Preview(uri); ok {
		s.readPreview(name, b)
		return nil
	}
	if !s.pages.IsChat(uri) {
		return nil
	}
	buffer, ok := s.workspace.BufferURI(uri)
	if !ok || !chat.Sent(buffer.Lines.Text()) {
		s.conn.Go("chat", func(ctx context.Context) {
			if a, err := s.backend.Ready(ctx); err == nil {
				_ = a.ChatSaved() // the next time, then
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
