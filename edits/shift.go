package edits

import "sort"

// Bias is the side of inserted text on which an offset stays.
type Bias uint8

// Left keeps an offset before text inserted at it, Right moves it after the text.
const (
	Left Bias = iota
	Right
)

// Shifter maps offsets through a list of edits. A lookup takes time logarithmic in the
// number of edits.
type Shifter struct {
	es    []Edit
	delta []int // by how much text after es[:i] moves
}

// NewShifter returns a Shifter for edits that are valid for Apply.
func NewShifter(es []Edit) Shifter {
	delta := make([]int, len(es)+1)
	for i, e := range es {
		delta[i+1] = delta[i] + len(e.New) - e.Len()
	}
	return Shifter{es, delta}
}

// At returns where an offset goes. The start and the end of replaced text become the
// start and the end of its replacement. An offset strictly inside goes to the side that
// bias names, as does one at which text is inserted.
func (s Shifter) At(offset int, bias Bias) int {
	i := sort.Search(len(s.es), func(i int) bool { return s.es[i].End >= offset })
	for ; i < len(s.es) && s.es[i].Start <= offset; i++ {
		e := s.es[i]
		switch {
		case e.End == offset && (e.Start < offset || bias == Right):
			continue // the offset is after the edit
		case e.Start < offset && bias == Right:
			return e.Start + s.delta[i] + len(e.New)
		default:
			return e.Start + s.delta[i]
		}
	}
	return offset + s.delta[i]
}

// Growth returns by how many bytes the edits lengthen the text.
func (s Shifter) Growth() int { return s.delta[len(s.es)] }

// touches reports whether an edit overlaps the span, or inserts strictly between its
// ends.
func (s Shifter) touches(span Span) bool {
	i := sort.Search(len(s.es), func(i int) bool { return s.es[i].End > span.Start })
	return i < len(s.es) && s.es[i].Start < span.End
}

// Kept returns where a piece goes, and whether no edit reaches into it. Text inserted at
// its ends stays outside. An empty piece follows the line before it: text inserted there
// goes after it, and deleting the end of that line touches it.
func (s Shifter) Kept(piece Span) (span Span, ok bool) {
	span = Span{s.At(piece.Start, Right), s.At(piece.End, Left)}
	if piece.Len() > 0 {
		return span, !s.touches(piece)
	}
	i := sort.Search(len(s.es), func(i int) bool { return s.es[i].End >= piece.Start })
	deleted := i < len(s.es) && s.es[i].Start < piece.Start && s.es[i].New == ""
	return Span{span.End, span.End}, !deleted && !s.touches(piece)
}

// Widened returns where a span goes, with the text inserted at its ends.
func (s Shifter) Widened(span Span) Span {
	return Span{s.At(span.Start, Left), s.At(span.End, Right)}
}

// Inserts reports whether an edit inserts text inside the span or at its ends.
func (s Shifter) Inserts(span Span) bool {
	i := sort.Search(len(s.es), func(i int) bool { return s.es[i].End >= span.Start })
	for ; i < len(s.es) && s.es[i].Start <= span.End; i++ {
		if s.es[i].New != "" {
			return true
		}
	}
	return false
}

// Beyond reports whether edits that reach into the span, or across an empty one, begin
// before it or end after it.
func (s Shifter) Beyond(span Span) (start, end bool) {
	i := sort.Search(len(s.es), func(i int) bool { return s.es[i].End > span.Start })
	for ; i < len(s.es) && (s.es[i].Start < span.End || s.es[i].Start < span.Start); i++ {
		start = start || s.es[i].Start < span.Start
		end = end || s.es[i].End > span.End
	}
	return start, end
}
