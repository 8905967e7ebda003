package showdiff

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"redline/edits"
	"redline/edits/internal/linetext"
)

// name adds the code points of characters that look alike, or the same, in both lines.
func (d *Diff) name(old, new string) {
	if linetext.IsASCII(old) && linetext.IsASCII(new) {
		return
	}
	x, y := linetext.CharsOf(old), linetext.CharsOf(new)
	if len(x) != len(y) {
		return
	}
	for i := range x {
		if x[i].Text == y[i].Text || linetext.IsASCII(x[i].Text) && linetext.IsASCII(y[i].Text) || hasHidden(x[i].Text+y[i].Text) || len(x[i].Text)+len(y[i].Text) > maxChar {
			continue
		}
		point := fmt.Sprintf("%s is %s in yours and %s in the file", x[i].Text, points(x[i].Text), points(y[i].Text))
		if norm.NFC.String(x[i].Text) != norm.NFC.String(y[i].Text) {
			point = fmt.Sprintf("yours has %s (%s), the file %s (%s)", x[i].Text, points(x[i].Text), y[i].Text, points(y[i].Text))
		}
		if len(d.points) < maxNamed && !slices.Contains(d.points, point) {
			d.points = append(d.points, point)
		}
	}
}

// hasHidden reports whether s has an invisible character, or is not UTF-8.
func hasHidden(s string) bool { return !utf8.ValidString(s) || strings.ContainsFunc(s, edits.IsHidden) }

// points returns the first few code points of s.
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
