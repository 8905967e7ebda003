package match

import (
	"strings"

	"redline/edits"
	"redline/edits/adapt"
	"redline/edits/internal/linetext"
)

// inOtherUnits is the step that also forgives another unit of indentation: tabs for
// spaces, spaces for tabs, two spaces for four. One scale must fit all lines.
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
	if budget < 0 { // there may be more places than it has compared
		s.places, s.count = nil, 0
	}
}

// maxScaled is how many lines the step compares among the places that hold the same
// text.
const maxScaled = 1 << 18

// stepped replaces the indentation of each line of a flat text by a sign: deeper than, as
// deep as, or less deep than the last line before it that is not empty. Lines that are
// equally deep in two units are then the same. A flat text has no "\r" of its own.
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

// depthStep returns '>', '<' or '=': an indentation compared with the one before it. A
// tab is deeper than any spaces.
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
