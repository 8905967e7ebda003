package adapt

import (
	"strings"

	"redline/edits/internal/linetext"
)

// unitAt returns the unit in which a text is indented, by a place of it that is
// indented so, "" if it does not show one.
func unitAt(text, indent string) string {
	switch {
	case strings.Trim(indent, "\t") == "":
		return "\t"
	case strings.Trim(indent, " ") != "":
		return ""
	}
	steps := map[string]int{} // how often a line is so much deeper than the one before it
	all, last := 0, ""
	for line := range strings.Lines(text[:min(len(text), maxSurveyed)]) {
		p := linetext.PartsOf(linetext.Content(line))
		if p.Body == "" || p.Body[0] == '*' { // " * " of a comment
			continue
		}
		if step, deeper := strings.CutPrefix(p.Indent, last); deeper && step != "" {
			steps[step]++
			all++
		}
		last = p.Indent
	}
	for _, unit := range indentUnits {
		if unit != "\t" && steps[unit]*3 > all*2 {
			return unit
		}
	}
	return ""
}

// maxSurveyed is how much of a text is read to find its unit, in bytes.
const maxSurveyed = 1 << 16
