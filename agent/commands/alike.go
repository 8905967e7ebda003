package commands

import (
	"strings"

	"redline/internal/lazyregexp"
)

// varying matches what differs between two runs that fail alike: durations, addresses, dates, times
// of day, and lines and columns of a file, whose name is its group. Other numbers may be what the
// failure is about: "expected 200, got 404".
var varying = lazyregexp.New(`\(?\b\d+(?:\.\d+)? ?(?:[mµn]?s|sec(?:onds?)?)\b\)?|\b0x[0-9a-f]+\b|\b\d{4}-\d\d-\d\d\b|\b\d\d?:\d\d:\d\d(?:[.,]\d+)?` +
	`|\bline \d+|(\w\.\w+)(?::\d+){1,2}\b|(\w\.\w+)\(\d+(?:,\d+)?\)`)

// alike reports whether a failure is the same as another one, by their output: each line about a
// failure is in the other output as often, apart from what is [varying]. Where no line is about a failure,
// the last lines count.
func alike(output, other string) bool {
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

var (
	// counts matches the lines in which runners count tests: they differ if a plan adds a test.
	counts = lazyregexp.New(`(?i)^\W*(?:tests?|test suites|test files|test result|error\] tests run)\b.*\d|\b\d+%? (?:tests? )?(?:passed|failed|passing|failing)\b` +
		`|\b\d+ examples?, \d+ failures?\b|^FAILED \((?:failures|errors)=`)
	// compared matches the lines in which an assertion prints its values.
	compared = lazyregexp.New(`(?i)^\s*[-+]?\s*(?:expected|received|actual|got|want(?:ed)?|left|right)\b`)
)

// SameFailures reports whether the failures of an output are in the other one too. named says that
// they are of tests with names, which are in both: then the lines that only count tests do not
// matter.
func SameFailures(output, other string, named bool) bool {
	output, other = Uncoloured(output), Uncoloured(other)
	if named {
		output, other = uncounted(output), uncounted(other)
	}
	if !alike(output, other) {
		return false
	}
	there := map[string]bool{}
	for line := range strings.Lines(other) {
		there[strings.TrimSpace(line)] = true
	}
	for line := range strings.Lines(output) {
		if compared().MatchString(line) && !there[strings.TrimSpace(line)] {
			return false
		}
	}
	return true
}

// uncounted returns an output without the lines that count tests.
func uncounted(output string) string {
	var b strings.Builder
	for line := range strings.Lines(output) {
		if !counts().MatchString(line) {
			b.WriteString(line)
		}
	}
	return b.String()
}
