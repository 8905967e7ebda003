package edits

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Visible returns s with the characters that a reader would not see, or that
// would show the text in another order than it has, written out as ⟨U+202E⟩:
// control and format characters, bidirectional and zero-width ones among them,
// fillers, variation selectors, line and paragraph separators; bytes that are
// not UTF-8 as ⟨0xFF⟩. Tabs, "\n" and "\r\n" stay. Everything that is shown to
// a person before a decision goes through it (https://trojansource.codes).
func Visible(s string) string {
	var b strings.Builder
	done := 0 // s[:done] is in b
	for i := 0; i < len(s); {
		r, width := utf8.DecodeRuneInString(s[i:])
		name := ""
		switch {
		case r == utf8.RuneError && width == 1:
			name = fmt.Sprintf("⟨0x%02X⟩", s[i])
		case r == '\r' && strings.HasPrefix(s[i:], "\r\n"), r == '\t', r == '\n':
		case isHidden(r):
			name = fmt.Sprintf("⟨U+%04X⟩", r)
		}
		if name != "" {
			b.WriteString(s[done:i])
			b.WriteString(name)
			done = i + width
		}
		i += width
	}
	if done == 0 {
		return s
	}
	b.WriteString(s[done:])
	return b.String()
}

// isHidden reports whether a reader would not see r.
func isHidden(r rune) bool {
	if r < utf8.RuneSelf {
		return r < ' ' || r == 0x7F
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp,
		unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}
