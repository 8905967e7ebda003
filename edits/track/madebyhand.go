package track

import (
	"slices"
	"strings"

	"redline/edits"
	"redline/edits/internal/linetext"
)

// Switch finds the pieces that the user has turned into other(i), the other text of piece
// i, such as its proposed text. It looks at the pieces that the last Shift or Place
// reached. In the Placement that it returns, these pieces are good, with that text as
// their own; which holds their indices. From then on, pass their old text as other, to
// notice when the user goes back.
//
// A piece counts only if exactly the other text is in its place, between the same
// lines: deleting more, or adding something besides, is another change. For an empty
// piece only text inserted since counts, not text that stood there, and only in whole
// lines, since the user may be typing in the line after it. Adjacent pieces that were
// changed together are checked together.
func (p Placement) Switch(other func(i int) string) (next Placement, which []int) {
	var found []run
	for i := p.firstOpen(); i < p.marks.len() && (i < p.to || i > 0 && p.adjoin(i-1, i)); i++ {
		if !p.open(i) {
			continue
		}
		j := i + 1
		for j < p.marks.len() && p.adjoin(j-1, j) {
			j++
		}
		found = append(found, p.madeIn(i, j, edits.Span{Start: 0, End: len(p.live)}, other)...)
		i = j - 1
	}
	if len(found) == 0 {
		return p, nil
	}
	for _, r := range found {
		for k := r.i; k < r.j; k++ {
			which = append(which, k)
		}
	}
	return p.switched(found, other), which
}

// run is pieces i to j, and where their other texts are in live.
type run struct {
	i, j  int
	place edits.Span
}

// firstOpen returns the first piece to check: one that the last Shift reached, or one
// next to the first of them.
func (p Placement) firstOpen() int {
	i := p.from
	for i > 0 && i < p.marks.len() && p.adjoin(i-1, i) {
		i--
	}
	return i
}

// open reports whether piece i may have been turned into something else.
func (p Placement) open(i int) bool { return p.marks.at(i).lost != nil || p.marks.at(i).Len() == 0 }

// adjoin reports whether two successive pieces are both open and their places touch.
func (p Placement) adjoin(i, j int) bool {
	return p.open(i) && p.open(j) && p.marks.at(j).Start <= p.marks.at(i).reach()
}

// mostRuns is how many touching pieces are checked in every run of them: the time grows
// with the cube of their number.
const mostRuns = 24

// madeIn finds the other texts of the open pieces i to j, whose places touch. Longer runs
// come before shorter ones; each piece and each text of live counts once. It only
// searches within. If there are many pieces, it checks all together, then all but empty
// ones at the ends, then each by itself.
func (p Placement) madeIn(i, j int, within edits.Span, other func(int) string) []run {
	many := j-i > mostRuns
	for n := j - i; n > 0 && (!many || n >= j-i-2); n-- {
		for k := j - n; k >= i; k-- {
			place, ok := p.made(k, k+n, other)
			if !ok || place.Start < within.Start || place.End > within.End {
				continue
			}
			found := []run{{k, k + n, place}}
			if many {
				return found
			}
			before := p.madeIn(i, k, edits.Span{Start: within.Start, End: place.Start}, other)
			after := p.madeIn(k+n, j, edits.Span{Start: place.End, End: within.End}, other)
			return slices.Concat(before, found, after)
		}
	}
	var found []run
	for k := i; k < j && many; k++ {
		if place, ok := p.made(k, k+1, other); ok && place.Start >= within.Start {
			found = append(found, run{k, k + 1, place})
			within.Start = place.End
		}
	}
	return found
}

// made reports whether the pieces i to j were turned into their other texts, and where
// these are.
func (p Placement) made(i, j int, other func(int) string) (place edits.Span, ok bool) {
	place = edits.Span{Start: p.marks.at(i).Start, End: p.marks.at(j - 1).reach()}
	for k := i; k < j; k++ {
		place.End = max(place.End, p.marks.at(k).reach())
	}
	for k := j; k < p.marks.len() && p.marks.at(k).Start < place.End; k++ {
		if !p.open(k) { // it is good again, in the inserted text
			place.End = p.marks.at(k).Start
		}
	}
	size, differs := 0, false
	for k := i; k < j; k++ {
		text := other(k)
		size += len(text)
		if k > i {
			size += p.pieces[k].Start - p.pieces[k-1].End
		}
		differs = differs || text != p.pieces[k].Of(p.ref)
	}
	if last := p.marks.at(j - 1); last.lost == nil && place.Len() > size {
		// Text typed in the line after it belongs to that line.
		for place.End > last.Start && !linetext.IsStart(p.live, place.End) {
			place.End--
		}
	}
	if !differs || size != place.Len() || !edits.IsWholeLines(p.live, place) {
		return edits.Span{}, false
	}
	at := place.Start
	for k := i; k < j; k++ {
		text := other(k)
		if k > i {
			gap := p.ref[p.pieces[k-1].End:p.pieces[k].Start]
			if !strings.HasPrefix(p.live[at:place.End], gap) {
				return edits.Span{}, false
			}
			at += len(gap)
		}
		piece := edits.Span{Start: at, End: at + len(text)}
		if !strings.HasPrefix(p.live[at:place.End], text) || !edits.IsWholeLines(p.live, piece) {
			return edits.Span{}, false
		}
		at = piece.End
	}
	return place, p.between(i, j, place)
}

// between reports whether the place in live is between the lines that are around the
// pieces i to j in ref, or were when they were lost. A good empty piece follows the line
// before it, and text inserted after it goes before the next line.
func (p Placement) between(i, j int, place edits.Span) bool {
	first, last := p.marks.at(i), p.marks.at(j-1)
	if first.lost != nil && first.lost.beyondStart || last.lost != nil && last.lost.beyondEnd {
		return false
	}
	if first.lost != nil {
		if now := lineBefore(p.live, place.Start); now != first.lost.before && now != lineBefore(p.ref, p.pieces[i].Start) {
			return false
		}
	}
	if last.lost != nil || last.more == 0 {
		now := lineAfter(p.live, place.End)
		if now != lineAfter(p.ref, p.pieces[j-1].End) && (last.lost == nil || now != last.lost.after) {
			return false
		}
	}
	return true
}

// switched returns the placement in which the pieces of the runs, which ascend, have
// their other texts as their own.
func (p Placement) switched(runs []run, other func(int) string) Placement {
	next := p
	next.marks, next.pieces = p.marks.clone(), slices.Clone(p.pieces)
	var ref strings.Builder
	at, delta, done := 0, 0, 0 // how much of ref is written, by how much it has grown, and how many pieces are moved
	for _, r := range runs {
		live := r.place.Start
		for k := r.i; k < r.j; k++ {
			if k > r.i {
				live += p.pieces[k].Start - p.pieces[k-1].End
			}
			text := other(k)
			next.marks.set(k, mark{Span: edits.Span{Start: live, End: live + len(text)}, added: p.pieces[k].Len() == 0})
			live += len(text)
			for ; done < k; done++ {
				next.pieces[done] = p.pieces[done].Moved(delta)
			}
			ref.WriteString(p.ref[at:p.pieces[k].Start] + text)
			at = p.pieces[k].End
			next.pieces[k] = edits.Span{Start: ref.Len() - len(text), End: ref.Len()}
			delta += len(text) - p.pieces[k].Len()
			done = k + 1
		}
	}
	ref.WriteString(p.ref[at:])
	for ; done < len(next.pieces); done++ {
		next.pieces[done] = p.pieces[done].Moved(delta)
	}
	next.ref = ref.String()
	for _, r := range runs {
		next.makeRoom(r)
	}
	return next
}

// makeRoom moves pieces that shared a place with those of a run, which are good now:
// empty pieces to one of its ends, stale ones to where they may come back.
func (p Placement) makeRoom(r run) {
	start, end := p.marks.at(r.i).Start, p.marks.at(r.j-1).End
	from, to := r.i, r.j
	for ; from > 0 && p.open(from-1) && p.marks.at(from-1).reach() >= start; from-- {
		if m := p.marks.at(from - 1); m.lost == nil {
			m.more = start - m.Start
			p.marks.set(from-1, m)
		}
	}
	for ; to < p.marks.len() && p.open(to) && p.marks.at(to).Start <= end; to++ {
		m := p.marks.at(to)
		switch {
		case m.lost == nil:
			m = mark{Span: edits.Span{Start: end, End: end}, more: max(m.reach()-end, 0)}
		case m.lost.deleted && p.pieces[to].Start == p.pieces[r.j-1].End:
			// The text deleted before it is the last piece of the run.
			found := *m.lost
			found.deleted = false
			m.lost = &found
		}
		p.marks.set(to, m)
	}
	p.clip(from, to)
	p.restore(from, to, budget(nil))
}
