package edits

import (
	"strings"
	"unicode/utf8"
)

// search is one look for old in text, by one step after the other.
type search struct {
	text, old   string
	where       Where
	limit       int        // how many places to look for, at most
	words       bool       // a place does not start or end inside a word
	places      []Span     // what the step has found: without where.All overlapping or not, with it none overlapping the one before
	lines, look []*stretch // in which to look line by line, and for look-alikes; nil before that
}

func newSearch(text, old string, w Where) *search {
	s := &search{text: text, old: old, where: w, limit: maxPlaces}
	if w.All || w.Narrow != nil {
		s.limit = len(text) + 1
	}
	return s
}

// stretchesOf returns the stretches to look in for something that may be folded in
// what splits it, or in plain(text).
func (s *search) stretchesOf(splits func(rune) bool, inPlain bool) []*stretch {
	out := []*stretch{}
	for _, span := range stretches(s.text, s.old, splits) {
		r := &stretch{Span: span, text: span.of(s.text), plain: inPlain}
		if r.Start == 0 {
			r.text = withoutBOM(r.text)
		}
		out = append(out, r)
	}
	return out
}

// found takes a place that the step has found, unless it is not wanted, and
// reports whether it has taken it. Places come from left to right.
func (s *search) found(p Span) bool {
	if divides(s.text, p.Start) || divides(s.text, p.End) {
		return false
	}
	if s.where.Lines && !boundsLines(s.text, p) && !(atBOM(s.text, p.Start) && isLineBound(s.text, p.End)) {
		return false
	}
	if s.words && (insideWord(s.text, p.Start) || insideWord(s.text, p.End)) {
		return false
	}
	if n := len(s.places); s.where.All && n > 0 && p.Start < s.places[n-1].End {
		return false
	}
	s.places = append(s.places, p)
	return true
}

// insideWord reports whether the offset is between two letters, digits or
// underscores of text.
func insideWord(text string, offset int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:offset])
	after, _ := utf8.DecodeRuneInString(text[offset:])
	return isWord(before) && isWord(after)
}

// each calls try with the offsets in text at which needle, which is not empty,
// is, until there are places enough. try reports whether it has taken the one
// there.
func (s *search) each(text, needle string, try func(at int) bool) {
	if len(s.places) >= s.limit {
		return
	}
	occurrences(text, needle, func(at int) int {
		taken := try(at)
		switch {
		case len(s.places) >= s.limit:
			return -1
		case taken && s.where.All:
			return at + len(needle)
		default:
			return at + 1
		}
	})
}

// exact is the step that forgives nothing.
func exact(s *search) {
	s.each(s.text, s.old, func(at int) bool { return s.found(Span{at, at + len(s.old)}) })
}

// occurrences calls visit with the offsets in text at which needle, which is
// not empty, is. visit returns from where on to look further: the next byte,
// the end of the occurrence, or -1 to stop. It takes time in proportion to the
// lengths of both, whatever they are.
func occurrences(text, needle string, visit func(at int) int) {
	at := 0
	// Looking for it from every byte on is the fastest way, unless it is
	// nearly everywhere.
	for again := 0; again <= len(text); again += len(needle) {
		i := strings.Index(text[at:], needle)
		if i < 0 {
			return
		}
		if at = visit(at + i); at < 0 {
			return
		}
	}
	// Knuth, Morris, Pratt: borders[i] is how long the longest start of needle
	// is that needle[:i+1] also ends with, itself aside.
	borders := make([]int, len(needle))
	for i, n := 1, 0; i < len(needle); i++ {
		for n > 0 && needle[i] != needle[n] {
			n = borders[n-1]
		}
		if needle[i] == needle[n] {
			n++
		}
		borders[i] = n
	}
	for n := 0; at < len(text); at++ {
		for n > 0 && text[at] != needle[n] {
			n = borders[n-1]
		}
		if text[at] == needle[n] {
			n++
		}
		if n < len(needle) {
			continue
		}
		switch next := visit(at + 1 - n); {
		case next < 0:
			return
		case next > at:
			n = 0
		default:
			n = borders[n-1]
		}
	}
}
