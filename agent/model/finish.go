package model

import (
	"encoding/json"
	"slices"
	"strings"

	"redline/internal/fence"
)

// The values of [Reply.Finish] of a reply that ended before the model had finished it.
const (
	FinishLength = "length"         // it came to the longest reply that the model may make
	FinishFilter = "content_filter" // the provider's content filter ended it
)

func isCut(finish string) bool { return finish == FinishLength || finish == FinishFilter }

// IsCut reports whether the reply ended before the model had finished it. The last of its calls
// may be cut too, even if its arguments are JSON: some providers close them.
func (r Reply) IsCut() bool { return isCut(r.Finish) }

// finishOf returns a provider's finish reason in OpenAI's words, "" for none. failed is true if
// the provider gave the reply up.
func finishOf(reason string) (finish string, failed bool) {
	lower := strings.ToLower(strings.TrimSpace(reason))
	kind, _, _ := strings.Cut(lower, ":") // as in "content_filter: RECITATION", by Gemini
	switch kind {
	case "null", "none":
		return "", false
	case "length", "max_tokens", "max_output_tokens", "max_length", "model_length", "model_context_window_exceeded":
		return FinishLength, false
	case "content_filter", "safety", "recitation", "prohibited_content", "blocklist", "spii", "sensitive", "refusal":
		return FinishFilter, false
	case "error", "abort", "aborted", "cancelled", "network_error", "insufficient_system_resource",
		"malformed_function_call", "unexpected_tool_call", "function_call_filter", "malformed_response":
		return lower, true
	}
	return reason, false
}

// toolName returns the name of a tool without what a model's own format adds to it: control
// tokens after it, and a namespace before it.
func toolName(name string) string {
	name, _, _ = strings.Cut(name, "<|")
	name = strings.TrimSpace(name)
	for _, space := range []string{"functions.", "functions:", "default_api.", "default_api:"} {
		if rest, ok := strings.CutPrefix(name, space); ok && rest != "" {
			return rest
		}
	}
	return name
}

// repairArguments returns a call's arguments as a JSON object if text is one, or can be read as
// one in only one way. Otherwise it returns text unchanged.
func repairArguments(text string) string {
	trimmed := fence.Unwrap(text)
	if slices.Contains([]string{"", "null", `""`}, strings.TrimSpace(trimmed)) {
		return "{}" // how some providers write a call without arguments
	}
	if within := ""; json.Unmarshal([]byte(trimmed), &within) == nil && IsJSONObject(within) {
		return within // JSON within JSON
	}
	if repaired, ok := RepairJSON(trimmed); ok && IsJSONObject(repaired) {
		return repaired
	}
	return text
}
