package preview

import "strings"

// WithoutBeside returns a preview without the parts on what is beside the plan, see [Beside],
// and on failed commands.
func WithoutBeside(text string) string {
	var b strings.Builder
	within := false
	for line := range strings.Lines(text) {
		if within = inBeside(within, strings.TrimRight(line, " \t\r\n")); !within {
			b.WriteString(line)
		}
	}
	return b.String()
}

// inBeside reports whether a line belongs to the parts that Read skips. before is true if the
// previous line does.
func inBeside(before bool, line string) bool {
	switch line {
	case triedHeading, failedHeading, unparsedHeading, otherNamesHeading:
		return true
	}
	return before && !strings.HasPrefix(line, "#")
}
