package match

import (
	"strings"

	"redline/edits"
	"redline/edits/internal/linetext"
)

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
