// Package jsontext reads JSON as models write it, which is not always JSON.

package model

import (
	"encoding/json"
	"strings"

	"github.com/kaptinlin/jsonrepair"
)

// RepairJSON returns text as a JSON object or array if it is one, or can be read as one in
// exactly one way. Otherwise ok is false: Repair never guesses.
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
