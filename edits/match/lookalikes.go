package match

import (
	"slices"
	"unicode/utf8"

	"redline/edits/internal/linetext"
)

// lookAlikes is the step that also treats Unicode quotes, dashes and spaces as ASCII
// ones, besides what lineEndings forgives.
func lookAlikes(s *search) {
	findFlat(s, s.lookStretches(), newWanted(linetext.Plain(s.old)))
}

// indentedLookAlikes forgives what lookAlikes and indentation forgive.
func indentedLookAlikes(s *search) {
	findShifted(s, s.lookStretches(), newWanted(linetext.Plain(s.old)), byShift)
}

// lookStretches returns the stretches in which look-alikes can be found.
func (s *search) lookStretches() []*stretch {
	if s.look == nil {
		s.look = s.stretchesOf(hasLook, true)
		if linetext.Plain(s.old) == s.old {
			s.look = slices.DeleteFunc(s.look, func(r *stretch) bool { return linetext.Plain(r.text) == r.text })
		}
	}
	return s.look
}

// hasLook reports whether r is white space, or looks like an ASCII character.
func hasLook(r rune) bool {
	switch r {
	case '\'', '"', '-', ' ', '\t', '\n', '\r':
		return true
	}
	if r < utf8.RuneSelf {
		return false
	}
	_, size, width := linetext.PlainRune(string(r))
	return width < size
}
