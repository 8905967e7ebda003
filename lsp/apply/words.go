package apply

import (
	"fmt"
	"strings"
)

// maxReason is how much of a client's reason is shown, in characters.
const maxReason = 200

// firstLine returns the first line of text in at most maxReason characters.
func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	line = strings.ReplaceAll(strings.TrimSpace(line), "\t", " ")
	if runes := []rune(line); len(runes) > maxReason {
		return string(runes[:maxReason-1]) + "…"
	}
	return line
}

// count names a number of things: "1 edit", "3 edits".
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// sentence makes text a sentence: one line, with a full stop.
func sentence(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if text == "" || strings.ContainsAny(text[len(text)-1:], ".!?") {
		return text
	}
	return text + "."
}
