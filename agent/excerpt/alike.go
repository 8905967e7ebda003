package excerpt

import (
	"strings"

	"redline/internal/lazyregexp"
)

// varying matches what differs between two runs that fail alike: durations, addresses, dates, times
// of day, and lines and columns of a file, whose name is its group. Other numbers may be what the
// failure is about: "expected 200, got 404".
var varying = lazyregexp.New(`\(?\b\d+(?:\.\d+)? ?(?:[mµn]?s|sec(?:onds?)?)\b\)?|\b0x[0-9a-f]+\b|\b\d{4}-\d\d-\d\d\b|\b\d\d?:\d\d:\d\d(?:[.,]\d+)?` +
	`|\bline \d+|(\w\.\w+)(?::\d+){1,2}\b|(\w\.\w+)\(\d+(?:,\d+)?\)`)

// Alike reports whether a failure is the same as another one, by their output: each line about a
// failure is in the other output as often, apart from what is [varying]. Where no line is about a failure,
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

// failureLines returns the lines of an output about failures, or else the last one, without what is
// varying. Of an output without lines it returns an empty one.
func failureLines(output string) (lines []string) {
	last := ""
	for line := range strings.Lines(control().ReplaceAllString(output, "")) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		last = line
		if failure().MatchString(line) || place().MatchString(line) {
			lines = append(lines, varying().ReplaceAllString(line, "$1$2"))
		}
	}
	if len(lines) == 0 {
		return []string{varying().ReplaceAllString(last, "$1$2")}
	}
	return lines
}
