package lsp

import (
	"context"
)

// didClose closes a buffer: from now on the document's text is that of the file on disk (LSP
// 3.18, "DidCloseTextDocument Notification"). A preview whose edits only the editor's auto-save
// has saved becomes a revision: the user has finished with it.
func (s *session) didClose(_ context.Context, p *documentParams) error {
	if name, b, ok := s.pages.Preview(p.TextDocument.URI); s.saves.closed(p.TextDocument.URI) && ok && !b.Dirty {
		s.readPreview(name, b)
	}
	s.documents.Close(p.TextDocument.URI)
	s.diagnostics.Unnote(p.TextDocument.URI)
	s.changed()
	return nil
}
