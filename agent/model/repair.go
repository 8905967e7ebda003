package model

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/kaptinlin/jsonrepair"

	"redline/internal/fence"
)

// RepairJSON reads JSON as models write it. It returns text as a JSON object or array if it is one,
// or can be read as one in exactly one way: {'path': 'a.go',} is {"path": "a.go"}. Otherwise ok is
// false: RepairJSON never guesses.
func RepairJSON(text string) (repaired string, ok bool) {
	text = strings.TrimSpace(text)
	if IsJSONObject(text) || isArray(text) {
		return text, true
	}
	if !unambiguous(text) {
		return "", false
	}
	repaired, err := jsonrepair.Repair(text)
	if err != nil || strings.HasPrefix(text, "{") && !IsJSONObject(repaired) || strings.HasPrefix(text, "[") && !isArray(repaired) {
		return "", false
	}
	return repaired, true
}

// IsJSONObject reports whether text is a complete JSON object.
func IsJSONObject(text string) bool { return isWhole(text, "{", "}") }

func isArray(text string) bool { return isWhole(text, "[", "]") }

func isWhole(text, opening, closing string) bool {
	text = strings.TrimSpace(text)
	return strings.HasPrefix(text, opening) && strings.HasSuffix(text, closing) && json.Valid([]byte(text))
}

// Limits of a text to repair: its nesting levels, since the repair is recursive, and its parts
// times bytes, which limits the time to about a second.
const (
	maxDepth = 100
	maxWork  = 4 << 30
)

// unambiguous reports whether text can only mean one JSON object or array: its strings,
// in double or single quotes, are all closed; their escapes are JSON's; and its strings,
// bare words, brackets, commas and colons follow each other as in JSON. It accepts
// frequent mistakes of models that nobody can misread (trailing commas, raw line breaks
// in strings, single quotes, bare keys, True and None, a missing closing bracket) and
// rejects what a repair would have to guess: a truncated string, an unescaped quote
// within a string, the backslash of `\d`, a second colon.
func unambiguous(text string) bool {
	if !strings.HasPrefix(text, "{") && !strings.HasPrefix(text, "[") {
		return false
	}
	var closers []byte
	parts := 0          // strings, words and brackets
	last := byte(start) // the previous part
	for i := 0; i < len(text); {
		c, end := text[i], i+1
		switch {
		case strings.ContainsRune(" \t\r\n", rune(c)):
			i++
			continue
		case c == '"' || c == '\'':
			if end = stringEnd(text, i); end < 0 {
				return false
			}
			c = scalar
		case isBare(c):
			for end < len(text) && isBare(text[end]) {
				end++
			}
			c = scalar
		}
		if c != ':' && c != ',' {
			parts++
		}
		inObject := len(closers) > 0 && closers[len(closers)-1] == '}'
		if c == scalar && inObject && (last == '{' || last == ',') {
			c = key
		}
		if !strings.ContainsRune(mayFollow(last, inObject), rune(c)) || int64(parts)*int64(len(text)) > maxWork {
			return false
		}
		switch c {
		case '{', '[':
			closers = append(closers, c+2) // the closing brackets of `{` and `[` in ASCII
		case '}', ']':
			closers = closers[:len(closers)-1]
			if len(closers) == 0 {
				return strings.TrimSpace(text[end:]) == ""
			}
		}
		if len(closers) > maxDepth {
			return false
		}
		last, i = c, end
	}
	return strings.ContainsRune("v}]", rune(last)) // otherwise the text was truncated
}

// The names of the parts of a text, other than JSON punctuation.
const (
	start  = 's'
	key    = 'k' // a string or a bare word before a colon
	scalar = 'v' // a string or a bare word that is a value
)

// mayFollow returns the parts that may follow the part last, in an object or in an array.
func mayFollow(last byte, inObject bool) string {
	switch {
	case last == start:
		return "{["
	case last == key:
		return ":"
	case last == ':':
		return "v{["
	case inObject && (last == '{' || last == ','):
		return "k}"
	case inObject:
		return ",}"
	case last == '[' || last == ',':
		return "v{[]"
	default:
		return ",]"
	}
}

// stringEnd returns the end of the string whose quote is at start, or -1 if it is not
// closed or has an escape that is not JSON's.
func stringEnd(text string, start int) int {
	quote := text[start]
	for i := start + 1; i < len(text); i++ {
		switch text[i] {
		case quote:
			return i + 1
		case '\\':
			i++
			if i == len(text) || !strings.ContainsRune(`"'\/bfnrtu`, rune(text[i])) {
				return -1
			}
		}
	}
	return -1
}

// isBare reports whether c may be in a bare word: a key, a number, a constant.
func isBare(c byte) bool {
	return c == '_' || c == '-' || c == '+' || c == '.' || c == '$' ||
		'0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

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
