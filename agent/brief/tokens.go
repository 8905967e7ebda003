package brief

import (
	"strings"
	"unicode/utf8"
)

// Tokens estimates how many tokens a text has: one for four bytes of ASCII, one for each
// other character. Models differ; the estimate is too high for prose and about right for
// code.
func Tokens(text string) int {
	ascii, others := 0, 0
	for i := 0; i < len(text); {
		if text[i] < utf8.RuneSelf {
			ascii++
			i++
			continue
		}
		_, size := utf8.DecodeRuneInString(text[i:])
		i += size
		others++
	}
	return (ascii+3)/4 + others
}

// fit returns the lines at the beginning of text that fit in room tokens, how many these
// are, and whether that is the whole text. It never cuts a line.
func fit(text string, room int) (cut string, lines int, whole bool) {
	used, end := 0, 0
	for line := range strings.Lines(text) {
		n := Tokens(line)
		if used+n > room {
			return text[:end], lines, false
		}
		used += n
		end += len(line)
		lines++
	}
	return text, lines, true
}
