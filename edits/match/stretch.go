package match

import (
	"strings"

	"redline/edits"
	"redline/edits/internal/linetext"
)

// stretch is a part of a text, in whole lines, in which a place can be. Steps
// that forgive something look at a text in stretches, so that all but a few lines
// of it need not be folded.
type stretch struct {
	edits.Span
	text  string // of the stretch, without a byte order mark at its start
	plain bool   // the step looks in plain(text)
	flat  string // what it looks in, once it was asked for
}

// folded returns the flat text that a step looks in.
func (r *stretch) folded() string {
	if r.flat == "" {
		if r.flat = r.text; r.plain {
			r.flat = linetext.Plain(r.flat)
		}
		r.flat = flat(r.flat)
	}
	return r.flat
}

// maxAnchors is how many lines may have a text's longest piece before it is
// the whole text that is looked at.
const maxAnchors = 64

// stretches returns the parts of text, in order and not overlapping, that can
// have old in them, which may be folded in everything that splits it: in each
// is the longest piece of old, and lines enough around it. If that piece is
// too common, or if there is none, there is one stretch, the text.
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
		// What else is in this line would lead to the same stretch.
		if at = linesAround(text, at+i, 0, 0).End; at == len(text) {
			return out
		}
	}
}

// linesAround returns the lines around the one that the offset is in, at least
// as many as are asked for above and below it. It takes no more for a line end
// than "\n", which only makes for more lines.
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
