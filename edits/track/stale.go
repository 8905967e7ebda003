package track

import (
	"strings"

	"redline/edits"
	"redline/edits/internal/linetext"
)

// restore searches for the stale pieces between from and to, around which the text has
// just changed. It handles stale pieces whose places touch as a group, since one text can
// be only one of them. budget limits how many bytes it may search.
func (p Placement) restore(from, to, budget int) {
	for from > 0 && from < to && p.together(from-1, from) {
		from--
	}
	for i := from; i < to; {
		j := i + 1
		if p.marks.at(i).lost != nil {
			for j < p.marks.len() && p.together(j-1, j) {
				j++
			}
			p.restoreGroup(i, j, budget)
		}
		i = j
	}
}

// together reports whether two successive pieces are both stale and their places touch.
func (p Placement) together(i, j int) bool {
	return p.marks.at(i).lost != nil && p.marks.at(j).lost != nil && p.marks.at(j).Start <= p.marks.at(i).End
}

// restoreGroup searches for the stale pieces i to j in the text that their places cover,
// up to the end of its last line: when the user undoes Enter at the end of a piece,
// either of the two line ends may go. Pieces that it does not find stay where they are
// shown.
func (p Placement) restoreGroup(i, j, budget int) {
	p.clip(i, j)
	place := edits.Span{Start: p.marks.at(i).Start, End: p.marks.at(j - 1).End}
	shown := make([]edits.Span, j-i)
	for k := range shown {
		m := p.marks.at(i + k)
		shown[k], m.Span = m.Span, place // any of them may come back anywhere in it
		p.marks.set(i+k, m)
	}
	p.settleGroup(i, j, place, budget)
	for k := range shown {
		if m := p.marks.at(i + k); m.lost != nil {
			m.Span = shown[k]
			p.marks.set(i+k, m)
		}
	}
	p.clip(i, j)
}

// settleGroup makes those of the pieces i to j good that are in the place.
func (p Placement) settleGroup(i, j int, place edits.Span, budget int) {
	_, most := p.bounds(i, j)
	for place.End < most && !linetext.IsBound(p.live, place.End) {
		place.End++
	}
	// Is all of it, from the first piece to the last, as in ref?
	was := edits.Span{Start: p.pieces[i].Start, End: p.pieces[j-1].End}
	want, got := was.Of(p.ref), place.Of(p.live)
	switch {
	case strings.HasPrefix(got, want) && p.settleAll(i, j, place.Start-was.Start):
	case strings.HasSuffix(got, want) && p.settleAll(i, j, place.End-was.End):
	case len(want)+len(got) > budget:
	case j-i == 1:
		p.settleOnly(i, place)
	default:
		p.settleAlike(i, j, around(p.ref, was), around(p.live, place))
		if (j-i)*len(got) <= budget {
			p.settlePoints(i, j)
		}
	}
}

// around returns the whole lines of text around s, and one more on each side.
func around(text string, s edits.Span) edits.Span {
	s = edits.WholeLines(text, s)
	return edits.Span{Start: s.Start - len(lineBefore(text, s.Start)), End: s.End + len(lineAfter(text, s.End))}
}

// settleAlike makes those of the pieces i to j good that are unchanged between was in
// ref and is in live.
func (p Placement) settleAlike(i, j int, was, is edits.Span) {
	s := edits.NewShifter(edits.EditsOf(edits.Diff(was.Of(p.ref), is.Of(p.live))))
	least, most := p.bounds(i, j)
	for k := i; k < j; k++ {
		span, ok := s.Kept(p.pieces[k].Moved(-was.Start))
		span = span.Moved(is.Start)
		if ok && span.Start >= least && span.End <= most {
			p.settle(k, span)
		}
	}
}

// settlePoints makes an empty piece among i to j good if there is exactly one place for
// it between the good pieces around it.
func (p Placement) settlePoints(i, j int) {
	for k := i; k < j; k++ {
		if p.marks.at(k).lost != nil && p.pieces[k].Len() == 0 {
			p.clip(i, j)
			p.settleOnly(k, p.marks.at(k).Span)
		}
	}
}

// settleAll makes the pieces i to j good at their places in ref moved by delta, if all
// of them are there. An empty piece at which text was deleted is there too if the text of
// another one is back with it: what was deleted came back with that.
func (p Placement) settleAll(i, j, delta int) bool {
	for k := i; k < j; k++ {
		span := p.pieces[k].Moved(delta)
		if !p.fits(k, span) && (j-i == 1 || span.Len() > 0 || !p.asInRef(k, span)) {
			return false
		}
	}
	for k := i; k < j; k++ {
		span := p.pieces[k].Moved(delta)
		p.marks.set(k, mark{Span: span, more: p.moreAt(k, span.End)})
	}
	return true
}

// asInRef reports whether the span of live has the text of piece k, and whole lines around it as
// in ref.
func (p Placement) asInRef(k int, span edits.Span) bool {
	return edits.IsWholeLines(p.live, span) && span.Of(p.live) == p.pieces[k].Of(p.ref) &&
		between(p.live, span.Start) == between(p.ref, p.pieces[k].Start)
}

// settleOnly makes piece k good if the span of live has exactly one place for it.
func (p Placement) settleOnly(k int, place edits.Span) {
	size := p.pieces[k].Len()
	found, places := edits.Span{}, 0
	for at := place.Start; at+size <= place.End; at++ {
		if linetext.IsStart(p.live, at) && p.fits(k, edits.Span{Start: at, End: at + size}) {
			found = edits.Span{Start: at, End: at + size}
			places++
		}
	}
	if places == 1 {
		p.settle(k, found)
	}
}

// settle makes piece k good at the span of live, if it fits there.
func (p Placement) settle(k int, span edits.Span) {
	if p.fits(k, span) {
		p.marks.set(k, mark{Span: span, more: p.moreAt(k, span.End)})
	}
}

// moreAt returns how many bytes of the text that followed piece k before it was lost are
// back, if the piece is at the offset.
func (p Placement) moreAt(k, offset int) int {
	lost := p.marks.at(k).lost
	if lost == nil || p.pieces[k].Len() > 0 || !strings.HasPrefix(p.live[offset:], lost.more) {
		return 0
	}
	return len(lost.more)
}

// fits reports whether the span of live is piece k: whole lines with its text, or for
// an empty piece a place between the lines that are around it in ref, or were when it
// was lost.
func (p Placement) fits(k int, span edits.Span) bool {
	if !edits.IsWholeLines(p.live, span) || span.Of(p.live) != p.pieces[k].Of(p.ref) {
		return false
	}
	if span.Len() > 0 {
		return true
	}
	lost := p.marks.at(k).lost
	now := between(p.live, span.Start)
	return !lost.deleted && (now == lost.neighbours || now == between(p.ref, p.pieces[k].Start))
}

// clip keeps the stale ones of the pieces i to j between the good ones around them, so
// that the places of all pieces ascend.
func (p Placement) clip(i, j int) {
	least, most := p.bounds(i, j)
	for k := i; k < j; k++ {
		if m := p.marks.at(k); m.lost != nil {
			m.Start = max(m.Start, least)
			m.End = max(m.End, m.Start)
			p.marks.set(k, m)
		} else {
			least = m.End
		}
	}
	for k := j - 1; k >= i; k-- {
		if m := p.marks.at(k); m.lost != nil {
			m.End = min(m.End, most)
			m.Start = min(m.Start, m.End)
			p.marks.set(k, m)
		} else {
			most = m.Start
		}
	}
}

// bounds returns the offsets between which the pieces i to j may be: the places of their
// neighbours.
func (p Placement) bounds(i, j int) (least, most int) {
	most = len(p.live)
	if i > 0 {
		least = p.marks.at(i - 1).End
	}
	if j < p.marks.len() {
		most = p.marks.at(j).Start
	}
	return least, most
}

// budget returns how many bytes may be searched after a change: what a keystroke
// affords, or in proportion to the change.
func budget(es []edits.Edit) int {
	size := 0
	for _, e := range es {
		size += e.Len() + len(e.New)
	}
	return max(64<<10, 16*size)
}
