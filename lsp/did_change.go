package lsp

import (
	"context"
	"errors"

	"redline/lsp/textsync"
	"redline/lsp/wire"
)

// didChange applies an edit to a buffer (LSP 3.18, "DidChangeTextDocument Notification"). If the
// edit cannot be understood it warns the user that Redline no longer follows the document.
func (s *session) didChange(_ context.Context, p *wire.DidChangeParams) error {
	uri := p.TextDocument.URI
	whole, err := s.documents.Change(p)
	if lost, ok := errors.AsType[*textsync.LostError](err); ok {
		if lost.Again {
			return nil
		}
		s.diagnostics.Unnote(uri)
		s.window.Warn("an edit of " + textsync.ShortName(uri) + " could not be read, so Redline cannot follow this file: close it and open it again.")
		return err
	}
	if whole {
		s.diagnostics.Resend(uri)
	}
	s.changed()
	return err
}
