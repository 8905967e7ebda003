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

// name names characters of a line, and those that are there instead, that look alike
// or the same: by their code points.
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

// hasHidden reports whether s has a character that is written out, or is no UTF-8.
func hasHidden(s string) bool { return !utf8.ValidString(s) || strings.ContainsFunc(s, edits.IsHidden) }

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
