package linetext

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// The full-width forms of the ASCII characters from ! to ~.
const (
	firstFull = '！'
	lastFull  = '～'
)

// Form returns the first character of s, with its marks, in the form in which characters that
// are the same text are the same: composed, and ASCII instead of its full-width form. size is
// how many bytes of s it takes.
func Form(s string) (form string, size int) {
	if s[0] < utf8.RuneSelf && (len(s) == 1 || s[1] < utf8.RuneSelf) {
		return s[:1], 1
	}
	r, width := utf8.DecodeRuneInString(s)
	size = max(norm.NFC.NextBoundaryInString(s, true), width)
	switch {
	case size == width && IsFullWidth(r):
		return string(r - firstFull + '!'), size
	case size > width || IsComposed(r):
		return norm.NFC.String(s[:size]), size
	}
	return s[:size], size
}

// Forms returns the characters of s, each with its marks, as they are and as Form returns them.
func Forms(s string) (chars, forms []string) {
	for s != "" {
		form, size := Form(s)
		chars, forms, s = append(chars, s[:size]), append(forms, form), s[size:]
	}
	return chars, forms
}

// IsFullWidth reports whether r is the full-width form of an ASCII character.
func IsFullWidth(r rune) bool { return firstFull <= r && r <= lastFull }

// HasFullWidth reports whether s has full-width forms of ASCII characters, or others close
// to them.
func HasFullWidth(s string) bool {
	return strings.Contains(s, "\xEF\xBC") || strings.Contains(s, "\xEF\xBD")
}

// IsComposed reports whether r is the same text as several characters. The sign of Kelvin, which is
// the same as a single letter, is not: nobody types one for the other.
func IsComposed(r rune) bool {
	switch {
	case r < 0xC0:
		return false
	case '가' <= r && r <= '힣': // a syllable
		return true
	}
	var b [utf8.UTFMax]byte
	parts := norm.NFD.Properties(b[:utf8.EncodeRune(b[:], r)]).Decomposition()
	return utf8.RuneCount(parts) > 1
}
