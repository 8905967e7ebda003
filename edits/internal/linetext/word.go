package linetext

import (
	"unicode"
	"unicode/utf8"
)

// InsideWord reports whether the offset is between two letters, digits or underscores.
func InsideWord(text string, offset int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:offset])
	after, _ := utf8.DecodeRuneInString(text[offset:])
	return IsWord(before) && IsWord(after)
}

// Words returns s in pieces: runs of letters and digits, and each other character by
// itself. Texts that differ in look-alikes have the same number of pieces.
func Words(s string) []string {
	var out []string
	start, inWord := 0, false
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		_, _, width := PlainRune(s[i:])
		word := width == size && IsWord(r)
		if i > 0 && !(word && inWord) {
			out = append(out, s[start:i])
			start = i
		}
		inWord = word
		i += size
	}
	if s != "" {
		out = append(out, s[start:])
	}
	return out
}

// IsWord reports whether r can be part of a word.
func IsWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
