package lsp

import (
	"context"
)

// didClose closes a buffer: from now on the file on disk has the document's text (LSP 3.18,
// "DidCloseTextDocument Notification").
func (s *session) didClose(_ context.Context, p *documentParams) error {
	s.documents.Close(p.TextDocument.URI)
	s.diagnostics.Unnote(p.TextDocument.URI)
	s.changed()
	return nil
}
