package commands

import (
	"fmt"
	"regexp"
	"strings"

	"redline/internal/lazyregexp"
	"redline/internal/phrase"
)

// ExcerptSize is how many bytes of a failed command's output models and users see.
const ExcerptSize = 8 << 10

const (
	headLines      = 8   // shown from the beginning
	tailLines      = 40  // shown from the end
	around         = 3   // lines shown before and after a line about a failure
	maxExcerptLine = 400 // bytes shown of a line
)

var (
	// failure matches a line about a failure, in the words of common test runners, compilers and
	// languages.
	failure = lazyregexp.New(`(?i)\bfail(?:ed|ure|ures|s|ing)?\b|error\b|errors\b|\bpanic(?:ked)?\b|\bTraceback\b|exception\b|\bassert|\bundefined\b|\bnot ok\b|✗|✕|✘|✖|×|●|^E  `)
	// place matches a line that names a place in a file.
	place = lazyregexp.New(`[\w./\\-]+\.\w{1,5}[:(]\d+`)
)

// Excerpt returns an excerpt of output of at most max bytes, not counting the lines that say how much
// is left out. Output that fits is unchanged.
func Excerpt(output string, max int) string {
	if len(output) <= max {
		return output
	}
	lines := strings.Split(strings.TrimSuffix(output, "\n"), "\n")
	for i, line := range lines {
		lines[i] = clip(line)
	}
	room := max
	shown := make([]bool, len(lines))
	show := func(i int) {
		if i >= 0 && i < len(lines) && !shown[i] && len(lines[i])+1 <= room {
			shown[i] = true
			room -= len(lines[i]) + 1
		}
	}
	for i := range min(headLines, len(lines)) {
		show(i)
	}
	// The end comes before the middle, since most runners print a summary there. Half of the
	// room is for failures.
	half := room / 2
	for i := len(lines) - 1; i >= len(lines)-tailLines && room > half; i-- {
		show(i)
	}
	for _, telling := range []*regexp.Regexp{failure(), place()} {
		for i, line := range lines {
			if !telling.MatchString(line) {
				continue
			}
			show(i)
			for near := i - around; near <= i+around; near++ {
				show(near)
			}
		}
	}
	return joined(lines, shown)
}

// control matches what a terminal takes as a command, such as a change of colour.
var control = lazyregexp.New(`\x1b(?:\[[0-9;:?<=>]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[()][0-9A-Za-z])`)

// Uncoloured returns output without what a terminal takes as commands. Commands are asked for no
// colours, but some print them all the same.
func Uncoloured(output string) string { return control().ReplaceAllString(output, "") }

// Plain returns an excerpt of a failed command's output as text: without colours, with simple
// line ends, and valid UTF-8.
func Plain(output string) string {
	output = strings.ReplaceAll(Uncoloured(output), "\r\n", "\n")
	return strings.ToValidUTF8(Excerpt(strings.TrimRight(output, " \t\r\n"), ExcerptSize), "\uFFFD")
}

// joined joins the shown lines, with a line in each gap that says how many are left out.
func joined(lines []string, shown []bool) string {
	var b strings.Builder
	left := 0
	gap := func() {
		if left > 0 {
			fmt.Fprintf(&b, "… %s left out …\n", phrase.Count(left, "line"))
		}
		left = 0
	}
	for i, line := range lines {
		if !shown[i] {
			left++
			continue
		}
		gap()
		b.WriteString(line + "\n")
	}
	gap()
	return b.String()
}

// clip shortens a long line.
func clip(line string) string {
	if len(line) <= maxExcerptLine {
		return line
	}
	return phrase.StartBytes(line, maxExcerptLine) + " …"
}
