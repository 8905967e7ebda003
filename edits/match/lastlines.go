package match

import (
	"strings"

	"redline/edits"
	"redline/edits/internal/linetext"
)

// Limits of LastLines.
const (
	maxLast      = 4   // lines
	maxLastWidth = 200 // bytes of one
)

// LastLines returns the fewest last lines of a text that occur nowhere else in it, at
// most four, without their line ends. It returns nil if it would need more, or if a line
// is too long to be quoted or has invisible characters.
func LastLines(text string) []string {
	text = linetext.Content(text)
	var last []string
	for at := len(text); at > 0 && len(last) < maxLast; {
		end := at
		at = strings.LastIndexByte(text[:end], '\n') + 1
		line := strings.TrimSuffix(text[at:end], "\r")
		if len(line) > maxLastWidth || edits.VisibleLine(strings.ReplaceAll(line, "\t", "")) != strings.ReplaceAll(line, "\t", "") {
			return nil
		}
		last = append([]string{line}, last...)
		if linetext.TrimSpace(line) != "" && strings.Index(text, text[at:]) == at {
			return last
		}
		at--
	}
	return nil
}
