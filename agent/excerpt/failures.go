package excerpt

import (
	"slices"
	"strings"

	"redline/internal/lazyregexp"
)

// named matches the lines in which common runners name a failed test: Go's, pytest's,
// unittest's, Cargo's, those of JavaScript (Jest, Vitest, Mocha, node) and TAP, RSpec's.
var named = lazyregexp.New(`^\s*(?:--- FAIL: (\S+).*|(?:FAILED|ERROR) (\S+::\S+).*|(?:FAIL|ERROR): (\S+ \(\S+\)).*|test (\S+) \.\.\. FAILED|[✗✕✘×] (.+?)(?: \(?[\d.]+ ?m?s\)?)?|not ok \d+ -? ?(.+?)(?: # .*)?|rspec (\S+:\d+).*)\s*$`)

// Failures returns the tests that failed according to output, sorted, each once; none if it does
// not name them in a known form.
func Failures(output string) []string {
	var names []string
	for line := range strings.Lines(output) {
		found := named().FindStringSubmatch(strings.TrimRight(line, "\r\n"))
		for _, name := range found[min(1, len(found)):] {
			if name != "" {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
