package patch

import (
	"strings"

	"redline/edits"
)

// Limits of the last lines that are quoted.
const (
	maxLast      = 4   // lines
	maxLastWidth = 200 // bytes of one
)

// nowhere is why lines that are only added are refused: nothing says where they go. It
// quotes the last lines of the file, with which they can be appended.
func nowhere(text string) error {
	const why = "It only adds lines, and nothing says where: line numbers alone do not decide. Nothing was changed. Give some of the lines around the new ones, as they are in the file."
	last := lastLines(text)
	if last == nil {
		return reason(why + " To append to the file, read its end first.")
	}
	return reason(why + " To append to the file, put its last lines, which stay, above the new ones:\n  " + strings.Join(last, "\n  "))
}

// lastLines returns as many of the last lines of a text, without line ends, as are in one
// place only; nil if they are too many or cannot be shown.
func lastLines(text string) []string {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for n := 1; n <= min(maxLast, len(lines)); n++ {
		last := lines[len(lines)-n:]
		if line := strings.TrimSuffix(last[0], "\r"); len(line) > maxLastWidth || edits.Visible(line) != line {
			return nil
		}
		if strings.TrimSpace(last[0]) != "" && onlyLast(lines, last) {
			return trimmedCR(last)
		}
	}
	return nil
}

// onlyLast tells whether the last lines are not among the others too.
func onlyLast(lines, last []string) bool {
	for i := 0; i+len(last) < len(lines); i++ {
		same := true
		for j := range last {
			same = same && strings.TrimSpace(lines[i+j]) == strings.TrimSpace(last[j])
		}
		if same {
			return false
		}
	}
	return true
}

// trimmedCR returns lines without the "\r" at their ends.
func trimmedCR(lines []string) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = strings.TrimSuffix(line, "\r")
	}
	return out
}
