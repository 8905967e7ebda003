package lsp

import (
	"context"

	"redline/lsp/location"
)

type didCloseParams struct {
	TextDocument location.TextDocument `json:"textDocument"`
}

// didClose gives the document back to the disk.
func (s *session) didClose(_ context.Context, p *didCloseParams) error {
	s.documents.Close(p.TextDocument.URI)
	s.diagnostics.Unnote(p.TextDocument.URI)
	s.changed()
	return nil
}
