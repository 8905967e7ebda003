package lsp

import (
	"redline/internal/phrase"
)

// sentence returns text on one line and with a full stop.
func sentence(text string) string { return phrase.FullStop(phrase.OneLine(text)) }
