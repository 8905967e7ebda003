package adapt

import (
	"strings"

	"redline/edits/internal/linetext"
)

// unitAt returns the unit of indentation that a text uses, or "" if the text does not
// show it. indent is the indentation of one place in it.
func unitAt(text, indent string) string {
	switch {
	case strings.Trim(indent, "\t") == "":
		return "\t"
	case strings.Trim(indent, " ") != "":
		return ""
	}
	steps := map[string]int{} // counts each increase in depth
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

// maxSurveyed is how many bytes of a text are read to find its unit.
const maxSurveyed = 1 << 16
