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
	s.warnOfSettings()
	s.recoverSoon()
	return nil
}

// warnOfSettings shows which of the user's own settings have no effect: one message, which names
// the first of several.
func (s *session) warnOfSettings() {
	if len(s.warnings) == 0 {
		return
	}
	text := string(s.warnings[0])
	if more := len(s.warnings) - 1; more > 0 {
		text = phrase.FullStop(text) + " " + phrase.Count(more, "more warning") + ": redline doctor lists them."
	}
	s.window.Warn(text)
}
