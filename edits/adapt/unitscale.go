package adapt

import (
	"fmt"
	"slices"
	"strings"

	"redline/edits/internal/linetext"
	"redline/edits/internal/showdiff"
)

// scale converts the indentation of a text from one unit to another. A line gets as many
// units as it had, plus more, and keeps its other spaces.
type scale struct {
	from, to string // a unit is a tab or some spaces
	more     int    // how many units deeper the other text is
}

// indentUnits are the units that a text may be indented in.
var indentUnits = []string{"\t", " ", "  ", "   ", "    ", "        "}

// inUnits returns how many units deep an indentation is, and its other spaces. ok is
// false if it contains anything else.
func inUnits(indent, unit string) (depth int, rest string, ok bool) {
	same := len(indent) - len(strings.TrimLeft(indent, unit[:1])) // a unit is one character, repeated
	depth = same / len(unit)
	rest = indent[depth*len(unit):]
	return depth, rest, strings.Trim(rest, " ") == ""
}

// maxRest is how many spaces an indentation may have besides its units.
const maxRest = 7

// scales returns the scales that map all indentations of one list to those of another,
// between two different units.
func scales(from, to []string) []scale {
	var out []scale
	for _, x := range indentUnits {
		for _, y := range indentUnits {
			if x == y {
				continue
			}
			if s, ok := scaleOf(from, to, x, y); ok {
				out = append(out, s)
			}
		}
	}
	return out
}

// SameDepths reports whether one scale maps all indentations of one list to those of
// another.
func SameDepths(from, to []string) bool { return len(scales(from, to)) > 0 }

// scaleOf returns the scale between two units that maps all indentations of one list to
// those of another.
func scaleOf(from, to []string, x, y string) (s scale, ok bool) {
	s = scale{from: x, to: y}
	for i := range from {
		a, rest, ok := inUnits(from[i], x)
		b, there, same := inUnits(to[i], y)
		if !ok || !same || rest != there || len(rest) > maxRest || i > 0 && b-a != s.more {
			return scale{}, false
		}
		s.more = b - a
	}
	return s, len(from) > 0
}

// apply returns the indentation of a line in the other unit, or why it has none. rests
// are the spaces beside units that the text is known to have.
func (s scale) apply(p linetext.Parts, rests []string) (indent, why string) {
	depth, rest, ok := inUnits(linetext.Plain(p.Indent), s.from)
	if !ok || rest != "" && !slices.Contains(rests, rest) {
		return "", fmt.Sprintf("the file is indented in another unit, and the new line %q is not indented by a multiple of the one that the text to replace has", showdiff.Clip(p.String()))
	}
	if depth+s.more < 0 {
		return "", fmt.Sprintf("the new line %q is indented less than all lines of the text to replace", showdiff.Clip(p.String()))
	}
	return strings.Repeat(s.to, depth+s.more) + rest, ""
}

// rests returns the spaces that indentations have beside their units.
func (s scale) rests(from []string) []string {
	var out []string
	for _, indent := range from {
		if _, rest, _ := inUnits(indent, s.from); rest != "" && !slices.Contains(out, rest) {
			out = append(out, rest)
		}
	}
	return out
}
