package lsp

import "context"

// textDocument is TextDocumentIdentifier with the URI as the client spells it.
type textDocument struct {
	URI string `json:"uri"`
}

type didCloseParams struct {
	TextDocument textDocument `json:"textDocument"`
}

// didClose gives the document back to the disk.
func (s *session) didClose(_ context.Context, p *didCloseParams) error {
	s.documents.Close(p.TextDocument.URI)
	s.diagnostics.Unnote(p.TextDocument.URI)
	s.changed()
	return nil
}
