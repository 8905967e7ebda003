package edits

import "strings"

// tabWidth is how many columns are between the places that a tab goes to.
const tabWidth = 4

// ExpandTabs returns text with spaces for its tabs: up to the next place of four
// columns. It is for what is only shown, where a tab would go anywhere or nowhere
// (Helix). apart is how many characters at the start of each line are no part of it,
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
