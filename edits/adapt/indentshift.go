package adapt

import (
	"fmt"
	"slices"
	"strings"

	"redline/edits/internal/linetext"
	"redline/edits/internal/showdiff"
)

// shift is the difference between the indentation of the old text and that of a place:
// where the old text has drop, the place has put.
type shift struct{ drop, put string }

// shiftOf returns the shift from a line of the old text to the line of the place.
// common is the indentation that all old lines share.
func shiftOf(asked, found, common string) shift {
	b := strings.TrimSuffix(found, asked[len(common):])
	switch {
	case strings.HasSuffix(b, common):
		return shift{"", b[:len(b)-len(common)]}
	case strings.HasSuffix(common, b):
		return shift{common[:len(common)-len(b)], ""}
	}
	return shift{common, b}
}

// apply returns the indentation of line p of a new text in a place, or why there is none.
// mixes means that a line of the place is indented with both tabs and spaces.
func (s shift) apply(p linetext.Parts, mixes bool) (indent, why string) {
	if p.Body == "" || s == (shift{}) {
		return p.Indent, ""
	}
	rest, ok := strings.CutPrefix(linetext.Plain(p.Indent), s.drop)
	if !ok {
		return "", fmt.Sprintf("the new line %q is indented less than all lines of the text to replace", showdiff.Clip(p.String()))
	}
	indent = s.put + rest
	if mixed(indent) && !mixes {
		return "", fmt.Sprintf("the new line %q would be indented with both tabs and spaces", showdiff.Clip(p.String()))
	}
	return indent, ""
}

// anyMixed reports whether a line is indented with both tabs and spaces.
func anyMixed(lines []string) bool {
	return slices.ContainsFunc(lines, func(line string) bool { return mixed(linetext.PartsOf(line).Indent) })
}

// mixed reports whether an indentation has both tabs and spaces.
func mixed(indent string) bool {
	return strings.Contains(indent, " ") && strings.Contains(indent, "\t")
}
