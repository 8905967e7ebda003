package excerpt

import (
	"strings"

	"redline/internal/lazyregexp"
)

// figures matches numbers: of lines, durations, addresses.
var figures = lazyregexp.New(`\b0x[0-9a-f]+\b|\d+(?:\.\d+)?`)

// Alike reports whether a failure is the same as another one, by their output: each line about a
// failure is in the other output as often, apart from numbers. Where no line is about a failure,
// the last lines count.
func Alike(output, other string) bool {
	left := map[string]int{}
	for _, line := range failureLines(other) {
		left[line]++
	}
	for _, line := range failureLines(output) {
		if left[line]--; left[line] < 0 {
			return false
		}
	}
	return true
}

// failureLines returns the lines of an output about failures, or else the last one, without numbers. An
// output without a line has an empty one.
func failureLines(output string) (lines []string) {
	last := ""
	for line := range strings.Lines(control().ReplaceAllString(output, "")) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		last = line
		if failure().MatchString(line) || place().MatchString(line) {
			lines = append(lines, figures().ReplaceAllString(line, "0"))
		}
	}
	if len(lines) == 0 {
		return []string{figures().ReplaceAllString(last, "0")}
	}
	return lines
}
