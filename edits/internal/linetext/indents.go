package linetext

// Indents returns the indentations of the lines that are not blank.
func Indents(lines []string) []string {
	var out []string
	for _, line := range lines {
		if TrimBlanks(line) != "" {
			out = append(out, IndentOf(line))
		}
	}
	return out
}

// SeveralDepths reports whether not all indentations are the same.
func SeveralDepths(indents []string) bool {
	for _, indent := range indents {
		if indent != indents[0] {
			return true
		}
	}
	return false
}
