package agent

import (
	"strings"
	"unicode/utf8"
)

// sentence is an error as it is told to the user.
func sentence(err error) string {
	text := err.Error()
	if r, size := utf8.DecodeRuneInString(text); size > 0 {
		text = strings.ToUpper(string(r)) + text[size:]
	}
	if !strings.HasSuffix(text, ".") && !strings.HasSuffix(text, "?") {
		text += "."
	}
	return text
}

func trimDot(s string) string { return strings.TrimSuffix(strings.TrimSpace(s), ".") }

// firstLine returns the first line of a text, cut at limit characters.
func firstLine(text string, limit int) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	runes := []rune(strings.TrimSpace(line))
	if len(runes) > limit {
		return string(runes[:limit-1]) + "…"
	}
	return string(runes)
}
