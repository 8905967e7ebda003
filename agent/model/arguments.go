package model

import (
	"strings"

	"redline/agent/jsontext"
)

// repairArguments returns a call's arguments as a JSON object where text is one
// or can be read as one in a single way; else text as it is.
func repairArguments(text string) string {
	trimmed := unfence(text)
	if trimmed == "" {
		return "{}" // how some providers write a call without arguments
	}
	if repaired, ok := jsontext.Repair(trimmed); ok && jsontext.IsObject(repaired) {
		return repaired
	}
	return text
}

// unfence takes away blanks and a Markdown fence around text.
func unfence(text string) string {
	text = strings.TrimSpace(text)
	inner, opened := strings.CutPrefix(text, "```")
	inner, closed := strings.CutSuffix(inner, "```")
	if !opened || !closed {
		return text
	}
	return strings.TrimSpace(strings.TrimPrefix(inner, "json"))
}
