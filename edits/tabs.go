package edits

import "strings"

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
