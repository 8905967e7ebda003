package edits

import "redline/edits/internal/linetext"

// indentsOf returns the indentations of the lines that are not blank.
func indentsOf(lines []string) []string {
	var out []string
	for _, line := range lines {
		if linetext.TrimBlanks(line) != "" {
			out = append(out, linetext.IndentOf(line))
		}
	}
	return out
}

// severalDepths reports whether not all indentations are the same.
func severalDepths(indents []string) bool {
	for _, indent := range indents {
		if indent != indents[0] {
			return true
		}
	}
	return false
}
