package edits

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Visible writes out the characters of s that a reader would not see, or that would
// reorder the text on the screen, as in ⟨U+202E⟩: control, format, bidirectional and
// zero-width characters, fillers, variation selectors, line and paragraph separators, and
// characters that only look like a space. Bytes that are not UTF-8 become ⟨0xFF⟩. Tabs,
// "\n", "\r\n" and the wide space of East Asian texts stay. Everything shown to the user
// before a decision goes through it (https://trojansource.codes).
func Visible(s string) string {
	return writtenOut(s, func(r rune, rest string) bool {
		return IsHidden(r) && r != '\t' && r != '\n' && !strings.HasPrefix(rest, "\r\n")
	})
}

// VisibleCommand is like [Visible], for a command line, where every character counts: the
// only white space that stays is " ", tabs and "\n".
func VisibleCommand(s string) string {
	return writtenOut(s, func(r rune, _ string) bool {
		return r == wideSpace || IsHidden(r) && r != '\t' && r != '\n'
	})
}

// VisibleLine is like [VisibleCommand], for a single line: it writes out tabs and line
// ends too.
func VisibleLine(s string) string {
	return writtenOut(s, func(r rune, _ string) bool { return r == wideSpace || IsHidden(r) })
}

// VisibleJSON returns the same JSON, escaping the characters that [VisibleCommand] writes
// out.
func VisibleJSON(data []byte) []byte {
	out := make([]byte, 0, len(data))
	for len(data) > 0 {
		r, width := utf8.DecodeRune(data)
		if r == 0x7F || r >= utf8.RuneSelf && width > 1 && (r == wideSpace || IsHidden(r)) {
			for _, unit := range utf16.Encode([]rune{r}) {
				out = fmt.Appendf(out, `\u%04x`, unit)
			}
		} else {
			out = append(out, data[:width]...)
		}
		data = data[width:]
	}
	return out
}

// writtenOut writes out the characters for which hides returns true, and bytes that are
// not UTF-8. hides gets a character and the text from it on.
func writtenOut(s string, hides func(r rune, rest string) bool) string {
	var b strings.Builder
	done := 0 // s[:done] is in b
	for i := 0; i < len(s); {
		r, width := utf8.DecodeRuneInString(s[i:])
		name := ""
		switch {
		case r == utf8.RuneError && width == 1:
			name = fmt.Sprintf("⟨0x%02X⟩", s[i])
		case hides(r, s[i:]):
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

// wideSpace is the ideographic space.
const wideSpace = '\u3000'

// IsHidden reports whether a reader would not see r.
func IsHidden(r rune) bool {
	if r < utf8.RuneSelf {
		return r < ' ' || r == 0x7F
	}
	switch r {
	case wideSpace:
		return false
	case '\u2800': // the Braille pattern without dots
		return true
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zs, unicode.Zl, unicode.Zp,
		unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

// tabWidth is the number of columns between tab stops.
const tabWidth = 4

// ExpandTabs replaces tabs by spaces up to the next tab stop, every four columns. Use it
// only for text that is shown: some clients render a tab at any width, or not at all
// (Helix). apart is the number of characters at the start of each line that do not count,
// such as the sign of a diff.
func ExpandTabs(text string, apart int) string {
	if !strings.Contains(text, "\t") {
		return text
	}
	var b strings.Builder
	column := -apart
	for _, r := range text {
		switch {
		case r == '\t' && column >= 0:
			n := tabWidth - column%tabWidth
			b.WriteString(strings.Repeat(" ", n))
			column += n
			continue
		case r == '\t':
			r = ' '
		}
		b.WriteRune(r)
		if column++; r == '\n' {
			column = -apart
		}
	}
	return b.String()
}

// Blank reports whether text is what an editor may show for a file that does not exist:
// nothing, or a single line end (Neovim ends every text with one).
func Blank(text string) bool { return text == "" || text == "\n" || text == "\r\n" }
