package lsp

import (
	"context"
)

// didClose closes a buffer: from now on the document's text is that of the file on disk (LSP
// 3.18, "DidCloseTextDocument Notification").
func (s *session) didClose(_ context.Context, p *documentParams) error {
	s.documents.Close(p.TextDocument.URI)
	s.diagnostics.Unnote(p.TextDocument.URI)
	s.changed()
	return nil
}
