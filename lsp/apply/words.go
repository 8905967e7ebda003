package apply

import (
	"strings"

	"redline/internal/phrase"
)

// maxReason is how much of a client's reason is shown, in characters.
const maxReason = 200

// firstLine returns the first line of text without tabs, clipped to maxReason.
func firstLine(text string) string {
	return strings.ReplaceAll(phrase.FirstLine(text, maxReason), "\t", " ")
}
