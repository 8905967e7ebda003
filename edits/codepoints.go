package edits

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// name names characters of a line, and those that are there instead, that look alike
// or the same: by their code points.
func (d *shownDiff) name(old, new string) {
	if isASCII(old) && isASCII(new) {
		return
	}
	x, y := charsOf(old), charsOf(new)
	if len(x) != len(y) {
		return
	}
	for i := range x {
		if x[i].text == y[i].text || isASCII(x[i].text) && isASCII(y[i].text) || hasHidden(x[i].text+y[i].text) || len(x[i].text)+len(y[i].text) > maxChar {
			continue
		}
		point := fmt.Sprintf("%s is %s in yours and %s in the file", x[i].text, points(x[i].text), points(y[i].text))
		if norm.NFC.String(x[i].text) != norm.NFC.String(y[i].text) {
			point = fmt.Sprintf("yours has %s (%s), the file %s (%s)", x[i].text, points(x[i].text), y[i].text, points(y[i].text))
		}
		if len(d.points) < maxNamed && !slices.Contains(d.points, point) {
			d.points = append(d.points, point)
		}
	}
}

// hasHidden reports whether s has a character that is written out, or is no UTF-8.
func hasHidden(s string) bool { return !utf8.ValidString(s) || strings.ContainsFunc(s, isHidden) }

// points returns the code points of s, the first few of them.
func points(s string) string {
	var names []string
	for _, r := range s {
		if len(names) == 4 {
			return strings.Join(names, " ") + " …"
		}
		names = append(names, fmt.Sprintf("U+%04X", r))
	}
	return strings.Join(names, " ")
}
