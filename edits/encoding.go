package edits

import (
	"unicode/utf8"

	"redline/edits/internal/linetext"
)

// Encoding is the unit in which the characters of a line are counted
// (LSP 3.17, PositionEncodingKind).
type Encoding uint8

// The encodings of LSP. UTF16 is the default that every client speaks.
const (
	UTF16 Encoding = iota
	UTF8
	UTF32
)

// String returns the name that LSP uses: "utf-16", "utf-8" or "utf-32".
func (e Encoding) String() string {
	switch e {
	case UTF8:
		return "utf-8"
	case UTF32:
		return "utf-32"
	default:
		return "utf-16"
	}
}

// ParseEncoding returns the encoding with this LSP name. ok is false if there is none.
func ParseEncoding(name string) (e Encoding, ok bool) {
	for _, e := range []Encoding{UTF16, UTF8, UTF32} {
		if e.String() == name {
			return e, true
		}
	}
	return UTF16, false
}

// units returns how many units of the encoding a character of width bytes takes. A byte
// that is not UTF-8 counts as one character.
func (e Encoding) units(r rune, width int) int {
	switch {
	case e == UTF8:
		return width
	case e == UTF16 && r > 0xFFFF:
		return 2
	default:
		return 1
	}
}

// length returns the length of s in units of the encoding.
func (e Encoding) length(s string) int {
	if e == UTF8 {
		return len(s)
	}
	n := 0
	for i := 0; i < len(s); {
		if s[i] < utf8.RuneSelf {
			i++
			n++
			continue
		}
		r, width := utf8.DecodeRuneInString(s[i:])
		i += width
		n += e.units(r, width)
	}
	return n
}

// offset returns the byte offset that is n units from the start of s: the start of the
// character that n falls into, or the end of s if n is beyond it.
func (e Encoding) offset(s string, n int) int {
	if e == UTF8 {
		return linetext.RuneStart(s, min(n, len(s)))
	}
	i := 0
	for n > 0 && i < len(s) {
		if s[i] < utf8.RuneSelf {
			i++
			n--
			continue
		}
		r, width := utf8.DecodeRuneInString(s[i:])
		if n -= e.units(r, width); n < 0 {
			break
		}
		i += width
	}
	return i
}
