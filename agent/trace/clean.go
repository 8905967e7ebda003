package trace

import (
	"strings"
	"unicode"

	"redline/edits"
	"redline/internal/phrase"
	"redline/workspace/secrets"
)

// Line formats text as one line of at most max bytes, without what looks like a secret and with
// invisible characters made visible.
func Line(text string, max int) string {
	text = strings.ToValidUTF8(clip(text, 4*max), "\uFFFD")
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
	return phrase.ClipBytes(edits.Visible(secrets.Masked(text)), max)
}

// block does what [Line] does, for several lines.
func block(text string, max int) string {
	text = strings.ToValidUTF8(clip(text, 4*max), "\uFFFD")
	text = strings.TrimSpace(strings.ReplaceAll(text, "\r", ""))
	return phrase.ClipBytes(edits.Visible(secrets.Masked(text)), max)
}

// clip limits how much of a text is processed.
func clip(text string, max int) string {
	if len(text) > max {
		return text[:max]
	}
	return text
}
