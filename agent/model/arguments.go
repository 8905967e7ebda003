package model

import (
	"redline/agent/jsontext"
	"redline/internal/fence"
)

// repairArguments returns a call's arguments as a JSON object where text is one
// or can be read as one in a single way; else text as it is.
func repairArguments(text string) string {
	trimmed := fence.Unwrap(text)
	if trimmed == "" {
		return "{}" // how some providers write a call without arguments
	}
	if repaired, ok := jsontext.Repair(trimmed); ok && jsontext.IsObject(repaired) {
		return repaired
	}
	return text
}
