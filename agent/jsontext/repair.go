// Package jsontext reads JSON as models write it, which is not always JSON.
package jsontext

import (
	"encoding/json"
	"strings"

	"github.com/kaptinlin/jsonrepair"
)

// Repair returns text as a JSON object or array where it is one, or can be read as
// one in a single way. ok is false for all else: nothing is guessed.
func Repair(text string) (repaired string, ok bool) {
	text = strings.TrimSpace(text)
	if IsObject(text) || isArray(text) {
		return text, true
	}
	if !unambiguous(text) {
		return "", false
	}
	repaired, err := jsonrepair.Repair(text)
	if err != nil || strings.HasPrefix(text, "{") && !IsObject(repaired) || strings.HasPrefix(text, "[") && !isArray(repaired) {
		return "", false
	}
	return repaired, true
}

// IsObject tells whether text is a complete JSON object.
func IsObject(text string) bool { return isWhole(text, "{", "}") }

func isArray(text string) bool { return isWhole(text, "[", "]") }

func isWhole(text, opening, closing string) bool {
	text = strings.TrimSpace(text)
	return strings.HasPrefix(text, opening) && strings.HasSuffix(text, closing) && json.Valid([]byte(text))
}

// What is repaired has at most so many levels, since a repair goes down by calling
// itself, and so many parts times bytes, since it takes time by that: about a second.
const (
	maxDepth = 100
	maxWork  = 4 << 30
)

// unambiguous tells whether text can be meant as one JSON object or array only: its
// strings, in double or single quotes, are all closed and are each followed by
// what may follow a string; their escapes are JSON's; nothing else is in it
// but brackets, commas, colons and bare words. That lets through what models
// often get wrong and nobody can misread (trailing commas, raw line breaks in
// strings, single quotes, bare keys, True and None, a closing bracket too few)
// and keeps out what a repair would have to guess: a string that was cut, a
// quote within a string that was not escaped, the backslash of `\d`.
func unambiguous(text string) bool {
	if !strings.HasPrefix(text, "{") && !strings.HasPrefix(text, "[") {
		return false
	}
	var closers []byte
	parts := 0 // strings, words and brackets
	for i := 0; i < len(text); {
		if !strings.ContainsRune(":, \t\r\n", rune(text[i])) {
			parts++
		}
		if int64(parts)*int64(len(text)) > maxWork {
			return false
		}
		switch c := text[i]; {
		case c == '"' || c == '\'':
			end := stringEnd(text, i)
			if end < 0 || !strings.ContainsRune(":,}]", next(text, end)) {
				return false
			}
			i = end
			continue
		case len(closers) == 0 && i > 0 && (c == '{' || c == '['): // another one
			return false
		case c == '{':
			closers = append(closers, '}')
		case c == '[':
			closers = append(closers, ']')
		case c == '}' || c == ']':
			if len(closers) == 0 || closers[len(closers)-1] != c {
				return false
			}
			closers = closers[:len(closers)-1]
		case isBare(c):
			for i < len(text) && isBare(text[i]) {
				i++
			}
			if !strings.ContainsRune(":,}]", next(text, i)) {
				return false
			}
			continue
		case !strings.ContainsRune(":, \t\r\n", rune(c)):
			return false
		}
		if len(closers) > maxDepth {
			return false
		}
		i++
	}
	return true
}

// stringEnd returns where the string that starts at start with its quote is
// over, or -1 when it is not, or has an escape that JSON does not know.
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

// next returns the first character of text from i on that is no blank. The end
// of text counts as a closing bracket that was left out.
func next(text string, i int) rune {
	for ; i < len(text); i++ {
		if !strings.ContainsRune(" \t\r\n", rune(text[i])) {
			return rune(text[i])
		}
	}
	return '}'
}

// isBare tells whether c may be in a bare word: a key, a number, a constant.
func isBare(c byte) bool {
	return c == '_' || c == '-' || c == '+' || c == '.' || c == '$' ||
		'0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}
