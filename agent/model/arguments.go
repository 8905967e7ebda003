package model

import (
	"encoding/json"
	"strings"

	"github.com/kaptinlin/jsonrepair"
)

// repairArguments returns a call's arguments as a JSON object where text is one
// or can be read as one in a single way; else text as it is.
func repairArguments(text string) string {
	trimmed := unfence(text)
	switch {
	case trimmed == "":
		return "{}" // how some providers write a call without arguments
	case isObject(trimmed):
		return trimmed
	case !unambiguous(trimmed):
		return text
	}
	repaired, err := jsonrepair.Repair(trimmed)
	if err != nil || !isObject(repaired) {
		return text
	}
	return repaired
}

// isObject tells whether text is a complete JSON object.
func isObject(text string) bool {
	text = strings.TrimSpace(text)
	return strings.HasPrefix(text, "{") && strings.HasSuffix(text, "}") && json.Valid([]byte(text))
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

// unambiguous tells whether text can be meant as one JSON object only: its
// strings, in double or single quotes, are all closed and are each followed by
// what may follow a string; their escapes are JSON's; nothing else is in it
// but brackets, commas, colons and bare words. That lets through what models
// often get wrong and nobody can misread (trailing commas, raw line breaks in
// strings, single quotes, bare keys, True and None, a closing bracket too few)
// and keeps out what a repair would have to guess: a string that was cut, a
// quote within a string that was not escaped, the backslash of `\d`.
func unambiguous(text string) bool {
	if !strings.HasPrefix(text, "{") {
		return false
	}
	var closers []byte
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == '"' || c == '\'':
			end := stringEnd(text, i)
			if end < 0 || !strings.ContainsRune(":,}]", next(text, end)) {
				return false
			}
			i = end
			continue
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
