package linetext

import (
	"strings"

	"golang.org/x/text/unicode/norm"
)

// IsASCII reports whether s has ASCII characters only.
func IsASCII(s string) bool {
	for ; len(s) >= 8; s = s[8:] {
		if (s[0]|s[1]|s[2]|s[3]|s[4]|s[5]|s[6]|s[7])&0x80 != 0 {
			return false
		}
	}
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// Char is one character as a reader sees it, and its form without case.
type Char struct{ Text, Folded string }

// CharsOf returns the characters of s.
func CharsOf(s string) []Char {
	out := make([]Char, 0, len(s))
	for s != "" {
		n := max(norm.NFC.NextBoundaryInString(s, true), 1)
		c := Char{s[:n], strings.ToLower(norm.NFKC.String(s[:n]))}
		if c.Text == "\t" {
			c.Folded = " "
		}
		out, s = append(out, c), s[n:]
	}
	return out
}

// OffsetOf returns the offset of character i in the text of all.
func OffsetOf(chars []Char, i int) int {
	n := 0
	for _, c := range chars[:i] {
		n += len(c.Text)
	}
	return n
}
