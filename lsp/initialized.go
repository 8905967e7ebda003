package lsp

import (
	"context"

	"redline/internal/phrase"
	"redline/lsp/wire"
)

// initialized begins to look for the plans of earlier sessions (LSP 3.18), off the read
// loop: nothing heavy happens before the editor is served.
func (s *session) initialized(context.Context, *wire.NoParams) error {
	if s.backend.Err() != nil {
		s.window.Error(phrase.OneSentence(s.backend.Err().Error()))
	}
	s.recoverSoon()
	return nil
}
