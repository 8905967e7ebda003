package lsp

import (
	"context"

	"redline/internal/phrase"
	"redline/lsp/wire"
)

// initialized starts reading the plans of earlier sessions off the read loop (LSP 3.18,
// "Initialized Notification"), so that nothing slow happens before the editor has its answer.
func (s *session) initialized(context.Context, *wire.NoParams) error {
	if s.backend.Err() != nil {
		s.window.Error(phrase.OneSentence(s.backend.Err().Error()))
	}
	s.recoverSoon()
	return nil
}
