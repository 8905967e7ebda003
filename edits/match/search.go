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

// probe is how many bytes of a needle to look for first. Processors compare as many at
// once.
const probe = 32

// rareness ranks bytes by how rare they are in source and prose. The most common one is
// 0.
var rareness = func() (rank [256]uint8) {
	const common = " etaonirs\tldcu\npmfhg.\"_y,b-()=0123456789v:/wkx;'{}>[]*#S"
	for i := range rank {
		rank[i] = 255
	}
	for i := range len(common) {
		rank[common[i]] = uint8(i)
	}
	return rank
}()

// rareIn returns the index of the rarest byte of needle, except its last ones.
func rareIn(needle string) int {
	at := 0
	for i := 1; i+probe/4 <= len(needle); i++ {
		if rareness[needle[i]] > rareness[needle[at]] {
			at = i
		}
	}
	return at
}

// index is strings.Index for a needle whose rarest byte is at offset rare. It starts
// with that byte, since places that are only similar rarely have it.
func index(text, needle string, rare int) int {
	piece := needle[rare:min(rare+probe, len(needle))]
	at := 0
	for tries := 0; tries < 64 && at+len(needle) <= len(text); tries++ {
		i := strings.Index(text[at+rare:], piece)
		if i < 0 {
			return -1
		}
		if at += i; strings.HasPrefix(text[at:], needle) {
			return at
		}
		at++
	}
	// The piece is nearly everywhere.
	i := strings.Index(text[min(at, len(text)):], needle)
	if i < 0 {
		return -1
	}
	return at + i
}

// stretch is a part of a text, in whole lines, that a place can be in. Steps that forgive
// something search stretches, so that they fold only a few lines of a large text.
type stretch struct {
	edits.Span
	text  string // of the stretch, without a byte order mark at its start
	plain bool   // the step searches plain(text)
	flat  string // the folded text, once computed
}

// folded returns the flat text of the stretch.
func (r *stretch) folded() string {
	if r.flat == "" {
		if r.flat = r.text; r.plain {
			r.flat = linetext.Plain(r.flat)
		}
		r.flat = flat(r.flat)
	}
	return r.flat
}

// maxAnchors is how many lines may hold the longest piece of a text. If there are more,
// the whole text is one stretch.
const maxAnchors = 64

// stretches returns the parts of text that old can be in, in order and not overlapping.
// splits reports the characters that may be folded: each part holds the longest piece
// of old between them, and enough lines around it. If that piece is too common, or
// there is none, the text is one stretch.
func stretches(text, old string, splits func(rune) bool) []edits.Span {
	all := []edits.Span{{Start: 0, End: len(text)}}
	lines := linetext.Split(linetext.WithoutBOM(old))
	piece, above := "", 0
	for i, line := range lines {
		for _, p := range strings.FieldsFunc(line, splits) {
			if p = strings.Trim(p, " \t"); len(p) > len(piece) {
				piece, above = p, i
			}
		}
	}
	if piece == "" {
		return all
	}
	var out []edits.Span
	at, rare := 0, rareIn(piece)
	for n := 0; ; n++ {
		i := index(text[at:], piece, rare)
		if i < 0 {
			return out
		}
		if n == maxAnchors {
			return all
		}
		s := linesAround(text, at+i, above, len(lines)-above)
		if last := len(out) - 1; last >= 0 && s.Start <= out[last].End {
			out[last].End = s.End
		} else {
			out = append(out, s)
		}
		// Another hit in this line would lead to the same stretch.
		if at = linesAround(text, at+i, 0, 0).End; at == len(text) {
			return out
		}
	}
}

// linesAround returns the line of the offset with at least the given numbers of lines
// above and below. It counts only "\n", so it may return more lines.
func linesAround(text string, offset, above, below int) edits.Span {
	s := edits.Span{Start: offset, End: offset}
	for range above + 1 {
		if s.Start = strings.LastIndexByte(text[:s.Start], '\n'); s.Start < 0 {
			break
		}
	}
	s.Start++
	for range below + 1 {
		i := strings.IndexByte(text[s.End:], '\n')
		if i < 0 {
			s.End = len(text)
			break
		}
		s.End += i + 1
	}
	return s
}
