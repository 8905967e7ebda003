package recall

import (
	"strings"
	"unicode"

	"redline/internal/lazyregexp"
)

// candidates matches plans by number, addresses, text in backticks or quotation marks, and words:
// "plan 3", "https://example.org/a", "`go test`", "sum.go".
var candidates = lazyregexp.New("(?i:\\bplans? [0-9]+)|[a-zA-Z][a-zA-Z0-9+.-]*://[^\\s<>\"'`]+|`[^`\n]+`|\"[^\"\n]+\"|[^\\s`\"]+")

// Words returns the parts of a text that must not be reworded when it is shortened: addresses,
// paths, names and numbers, each once, in order: the first max of them, or all if max is 0.
func Words(text string, max int) []string {
	var out []string
	found := map[string]bool{}
	for _, word := range candidates().FindAllString(text, -1) {
		switch {
		case word[0] == '`' || word[0] == '"':
			word = word[1 : len(word)-1]
		case strings.Contains(word, "://"):
			word = trimAddress(word)
		case strings.Contains(word, " "): // the number of a plan
		default:
			word = strings.Trim(word, ".,;:!?()[]{}<>'’“”„‘«»*")
			if !isIdentifier(word) {
				continue
			}
		}
		if word = strings.TrimSpace(word); word == "" || found[word] {
			continue
		}
		if max > 0 && len(out) == max {
			break
		}
		found[word] = true
		out = append(out, word)
	}
	return out
}

// trimAddress removes punctuation of the sentence around an address.
func trimAddress(address string) string {
	for {
		short := strings.TrimRight(address, ".,;:!?*")
		if strings.HasSuffix(short, ")") && !strings.Contains(short, "(") {
			short = strings.TrimSuffix(short, ")")
		}
		if short == address {
			return address
		}
		address = short
	}
}

// isIdentifier reports whether a word is an identifier: it has a digit, a character that
// ordinary words do not have, or a capital letter after a small one.
func isIdentifier(word string) bool {
	small := false
	for i, c := range word {
		switch {
		case unicode.IsDigit(c), strings.ContainsRune(`/\_@#=$%:.+~^&|`, c) && len(word) > 1:
			return true
		case c == '-' && i == 0 && len(word) > 1:
			return true
		case unicode.IsUpper(c) && small:
			return true
		}
		small = small || unicode.IsLower(c)
	}
	return false
}

// HasWord reports whether a text contains a word as a whole: 12 is not in 120, nor an address in a
// longer one.
func HasWord(text, word string) bool {
	for at := 0; ; {
		i := strings.Index(text[at:], word)
		if i < 0 {
			return false
		}
		i += at
		before, after := text[:i], text[i+len(word):]
		if !joins(before, word, true) && !joins(after, word, false) {
			return true
		}
		at = i + 1
	}
}

// joins reports whether the text next to a word continues it.
func joins(next, word string, before bool) bool {
	is := func(c byte) bool {
		return c == '_' || c == '/' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
	}
	if next == "" {
		return false
	}
	if before {
		return is(next[len(next)-1]) && is(word[0])
	}
	if strings.Contains(word, "://") && strings.IndexByte("?&=#%", next[0]) >= 0 {
		return true
	}
	return is(next[0]) && is(word[len(word)-1])
}
