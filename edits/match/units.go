package match

import (
	"strings"

	"redline/edits"
	"redline/edits/adapt"
	"redline/edits/internal/linetext"
)

// inOtherUnits is the step that also forgives another unit of indentation: tabs
// for spaces, spaces for tabs, two spaces for four. The lines must be as deep
// in one unit as they are in the other, all of them by one scale.
func inOtherUnits(s *search) {
	old := linetext.Indents(linetext.Contents(linetext.Split(linetext.WithoutBOM(s.old))))
	if !linetext.SeveralDepths(old) {
		return // a shift, if anything
	}
	if s.lines == nil {
		s.lines = s.stretchesOf(isLineEnd, false)
	}
	budget := maxScaled
	findShifted(s, s.lines, newWanted(s.old), indented{
		encode: stepped,
		head:   func(string) int { return 1 },
		fits: func(place edits.Span) bool {
			if budget -= len(old); budget < 0 {
				return false
			}
			return adapt.SameDepths(old, linetext.Indents(linetext.Contents(linetext.Split(place.Of(s.text)))))
		},
	})
	if budget < 0 { // there may be more places than were looked at
		s.places, s.count = nil, 0
	}
}

// maxScaled is how many lines are compared, at most, to find those in another
// unit among the places that hold the same text.
const maxScaled = 1 << 18

// stepped returns a flat text in which each line that is not empty has, for its
// indentation, whether it is deeper than the last such line before it, as deep
// or less, and "\r". Lines that are as deep in one unit as in another are the
// same then. A flat text has no "\r" of its own.
func stepped(flat string) string {
	b := make([]byte, 0, len(flat)+len(flat)/8)
	last := ""
	for flat != "" {
		line, rest, _ := strings.Cut(flat, "\n")
		flat = rest
		if line != "" {
			indent := linetext.IndentOf(line)
			b = append(b, depthStep(last, indent), '\r')
			b = append(b, line[len(indent):]...)
			last = indent
		}
		b = append(b, '\n')
	}
	return string(b)
}

// depthStep returns '>', '<' or '=': whether an indentation is deeper than the one
// before it. A tab is more than any spaces.
func depthStep(before, indent string) byte {
	if before == indent {
		return '='
	}
	x, y := leadingTabs(before), leadingTabs(indent)
	if y > x || y == x && len(indent) > len(before) {
		return '>'
	}
	return '<'
}

// leadingTabs returns how many tabs an indentation starts with.
func leadingTabs(indent string) int { return len(indent) - len(strings.TrimLeft(indent, "\t")) }
