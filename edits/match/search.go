package match

import (
	"strings"

	"redline/edits"
	"redline/edits/internal/linetext"
)

// search searches for old in text, one step after another.
type search struct {
	text, old   string
	where       Where
	seesEnds    bool         // the line ends of old count
	keep        int          // how many places to keep at most; the others are only counted
	words       bool         // a place must not start or end inside a word
	places      []edits.Span // the places that the step found; with where.All, none overlaps the one before
	count       int          // how many places the step found
	lines, look []*stretch   // stretches to search line by line, and for look-alikes; nil until they are needed
}

func newSearch(text, old string, w Where) *search {
	s := &search{text: text, old: old, where: w, keep: maxListed}
	if w.All || w.Narrow != nil {
		s.keep = len(text) + 1
	}
	return s
}

// stretchesOf returns the stretches that a step searches. splits reports the characters
// that the step folds; inPlain means that it searches plain text.
func (s *search) stretchesOf(splits func(rune) bool, inPlain bool) []*stretch {
	out := []*stretch{}
	for _, span := range stretches(s.text, s.old, splits) {
		r := &stretch{Span: span, text: span.Of(s.text), plain: inPlain}
		if r.Start == 0 {
			r.text = linetext.WithoutBOM(r.text)
		}
		out = append(out, r)
	}
	return out
}

// found adds a place of the step if it is wanted, and reports whether it is. Places come
// from left to right.
func (s *search) found(p edits.Span) bool {
	if linetext.Divides(s.text, p.Start) || linetext.Divides(s.text, p.End) {
		return false
	}
	if s.where.Lines && !edits.IsWholeLines(s.text, p) && !(linetext.AtBOM(s.text, p.Start) && linetext.IsBound(s.text, p.End)) {
		return false
	}
	if s.words && (linetext.InsideWord(s.text, p.Start) || linetext.InsideWord(s.text, p.End)) {
		return false
	}
	if n := len(s.places); s.where.All && n > 0 && p.Start < s.places[n-1].End {
		return false
	}
	if s.count++; len(s.places) < s.keep {
		s.places = append(s.places, p)
	}
	return true
}

// each calls try with each offset of needle, which is not empty, in text. try reports
// whether it took the place.
func (s *search) each(text, needle string, try func(at int) bool) {
	occurrences(text, needle, func(at int) int {
		if try(at) && s.where.All {
			return at + len(needle)
		}
		return at + 1
	})
}

// exact is the step that forgives nothing. But an author who quotes lines may not see
// their line ends, so places that differ from exact ones only in line ends count too.
func exact(s *search) {
	s.each(s.text, s.old, func(at int) bool { return s.found(edits.Span{Start: at, End: at + len(s.old)}) })
	if s.count > 0 && !s.seesEnds && linetext.IndexEnd(s.old) >= 0 && strings.IndexByte(s.text, '\r') >= 0 {
		s.places, s.count = nil, 0
		foldedEnds(s)
	}
}

// foldedEnds searches for the text with any line ends.
func foldedEnds(s *search) {
	needle := linetext.FoldEnds(s.old)
	for _, span := range stretches(s.text, s.old, isLineEnd) {
		r := &stretch{Span: span, text: span.Of(s.text)}
		text := linetext.FoldEnds(r.text)
		from, to := newUnfolder(s.text, r), newUnfolder(s.text, r)
		first, last := lineOf{text: text}, lineOf{text: text}
		s.each(text, needle, func(at int) bool {
			line, start := first.seek(at)
			from.seek(line)
			p := edits.Span{Start: from.offset(at - start)}
			line, start = last.seek(at + len(needle))
			to.seek(line)
			p.End = to.offset(at + len(needle) - start)
			return s.found(p)
		})
	}
}

// occurrences calls visit with each offset of needle, which is not empty, in text. visit
// returns where to search next: at the next byte, or at the end of the occurrence. The
// time is linear in both lengths for any texts.
func occurrences(text, needle string, visit func(at int) int) {
	at, rare := 0, rareIn(needle)
	// Searching again from every byte is fastest, unless needle is nearly everywhere.
	for again := 0; again <= len(text); again += len(needle) {
		i := index(text[at:], needle, rare)
		if i < 0 {
			return
		}
		at = visit(at + i)
	}
	// Knuth, Morris, Pratt: borders[i] is the length of the longest proper prefix of
	// needle[:i+1] that is also its suffix.
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
		if next := visit(at + 1 - n); next > at {
			n = 0
		} else {
			n = borders[n-1]
		}
	}
}

// lineOf finds the lines of offsets in a flat text. It only goes forward, so that all
// of them together cost one pass.
type lineOf struct {
	text            string
	at, line, start int // the last offset, the number of its line from 0, and where that starts
}

// seek returns the line of an offset, and where the line starts.
func (l *lineOf) seek(at int) (line, start int) {
	passed := l.text[l.at:at]
	if i := strings.LastIndexByte(passed, '\n'); i >= 0 {
		l.line, l.start = l.line+strings.Count(passed, "\n"), l.at+i+1
	}
	l.at = at
	return l.line, l.start
}
