package linetext

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Ellipsis is the character for three dots.
const (
	Ellipsis = '…'
	dots     = "..."
)

// noWidths are the characters that have no width and no meaning.
var noWidths = []string{"\u200B", "\u2060"}

// HasNoWidth reports whether s has characters of no width.
func HasNoWidth(s string) bool {
	if strings.IndexByte(s, noWidths[0][0]) < 0 {
		return false // at most one pass over a long text
	}
	return strings.Contains(s, noWidths[0]) || strings.Contains(s, noWidths[1])
}

// noWidth returns how many bytes at the start of s are characters of no width. One that parts a letter
// and its mark counts as a letter.
func noWidth(s string) (n int) {
	for strings.HasPrefix(s[n:], noWidths[0]) || strings.HasPrefix(s[n:], noWidths[1]) {
		n += len(noWidths[0])
	}
	if startsWithMark(s[n:]) {
		return 0
	}
	return n
}

// startsWithMark reports whether s begins with a mark that belongs to the character before it.
func startsWithMark(s string) bool {
	return s != "" && s[0] >= utf8.RuneSelf && !norm.NFC.PropertiesString(s).BoundaryBefore()
}

// The full-width forms of the ASCII characters from ! to ~.
const (
	firstFull = '！'
	lastFull  = '～'
)

// Form returns the first character of s, with its marks, in the form in which characters that
// look the same are the same: composed, ASCII instead of its full-width form, three dots for an ellipsis,
// and without characters of no width beside it. size is how many bytes of s it takes.
func Form(s string) (form string, size int) {
	if s[0] < utf8.RuneSelf && (len(s) == 1 || s[1] < utf8.RuneSelf) {
		if strings.HasPrefix(s, dots) && (len(s) == len(dots) || s[len(dots)] < utf8.RuneSelf) {
			return dots, len(dots)
		}
		return s[:1], 1
	}
	lead := noWidth(s)
	if lead == len(s) {
		return "", lead
	}
	form, size = formOf(s[lead:])
	size += lead
	return form, size + noWidth(s[size:])
}

// formOf is Form for a character without others of no width beside it.
func formOf(s string) (form string, size int) {
	if strings.HasPrefix(s, dots) && !startsWithMark(s[len(dots):]) {
		return dots, len(dots)
	}
	r, width := utf8.DecodeRuneInString(s)
	size = max(norm.NFC.NextBoundaryInString(s, true), width)
	switch {
	case size == width && r == Ellipsis:
		return dots, size
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
	if strings.IndexByte(s, '\xEF') < 0 {
		return false
	}
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
