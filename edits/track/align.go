package track

import (
	"slices"
	"sort"

	"redline/edits"
	"redline/edits/internal/linetext"
)

// aligned returns the same change as es, at the places that pieces know. The same
// insertion or deletion can often be at several places: pressing Enter at the end of a
// line puts a line end before the one that is there, which has the same result as an
// empty line after it. Clients report the place of their cursor, or of their own
// comparison; an empty piece between two lines needs its own place.
func (p Placement) aligned(es []edits.Edit) []edits.Edit {
	out := es
	for i, e := range es {
		if (e.Len() == 0) == (e.New == "") || linetext.IndexEnd(e.Span.Of(p.live)+e.New) < 0 {
			continue
		}
		least, most := 0, len(p.live)
		if i > 0 {
			least = out[i-1].End
		}
		if i+1 < len(es) {
			most = es[i+1].Start
		}
		a := p.alignedDeletion(e, least, most)
		if e.Len() == 0 {
			a = p.alignedInsertion(e, least, most)
		}
		if a == e {
			continue
		}
		if &out[0] == &es[0] {
			out = slices.Clone(es)
		}
		out[i] = a
	}
	return out
}

// alignedInsertion moves an insertion to the nearest empty or stale piece that it may
// belong to, if it has the same result there and the place is between the offsets least
// and most: after the line end that follows, or to before the text that it repeats.
func (p Placement) alignedInsertion(e edits.Edit, least, most int) edits.Edit {
	at, n := e.Start, len(e.New)
	after := sort.Search(p.marks.len(), func(i int) bool { return p.marks.at(i).Start > at })
	if after > 0 {
		if m := p.marks.at(after - 1); at < m.reach() && p.open(after-1) || at == m.Start && m.Len() == 0 || at == m.reach() && m.more > 0 {
			return e // already there
		}
	}
	if after < p.marks.len() && p.open(after) {
		m := p.marks.at(after)
		if by := m.Start - at; by <= n && m.Start <= most && p.endsLine(at, by) && p.live[at:m.Start] == e.New[:by] {
			return edits.Edit{Span: edits.Span{Start: m.Start, End: m.Start}, New: e.New[by:] + e.New[:by]}
		}
	}
	for i := after - 1; i >= 0; i-- {
		m := p.marks.at(i)
		by := at - m.reach()
		if by <= 0 && p.open(i) || by > n || m.reach() < least {
			break
		}
		if !p.open(i) {
			continue
		}
		if linetext.End(e.New[:n-by]) != "" && p.live[m.reach():at] == e.New[n-by:] {
			return edits.Edit{Span: edits.Span{Start: m.reach(), End: m.reach()}, New: e.New[n-by:] + e.New[:n-by]}
		}
		break
	}
	return e
}

// alignedDeletion moves a deletion that reaches across an end of a piece, or of text
// inserted at an empty one, to that end, if it has the same result there, between the
// offsets least and most: joining an emptied line to the one before deletes either line
// end.
func (p Placement) alignedDeletion(e edits.Edit, least, most int) edits.Edit {
	i := sort.Search(p.marks.len(), func(i int) bool { return p.marks.at(i).End+p.most > e.Start })
	for ; i < p.marks.len() && p.marks.at(i).Start <= e.End+len("\r\n"); i++ {
		m := p.marks.at(i)
		switch place := (edits.Span{Start: m.Start, End: m.reach()}); {
		case place.End <= e.Start || place.Len() == 0 && m.lost != nil:
		case place.Start > e.End:
			// Delete all of the line before an empty piece, which follows that line.
			if by := place.Start - e.End; m.Len() == 0 && by <= e.Len() && place.Start <= most && p.endsLine(e.End, by) && p.alike(e.Start, e.End, by) {
				return edits.Edit{Span: e.Span.Moved(by), New: ""}
			}
		case place.Start == e.End && m.Len() > 0 && m.lost == nil:
		case place.Start > e.Start:
			by := place.Start - e.Start
			if e.End+by <= most && (e.End+by <= place.End || place.Len() == 0) && p.endsLine(e.Start, by) && p.alike(e.Start, e.End, by) {
				return edits.Edit{Span: e.Span.Moved(by), New: ""}
			}
		case place.End < e.End && (m.Len() == 0 || m.added):
			by := e.End - place.End
			if e.Start-by >= max(place.Start, least) && p.alike(e.Start-by, place.End, by) {
				return edits.Edit{Span: e.Span.Moved(-by), New: ""}
			}
		}
	}
	return e
}

// alike reports whether live has the same n bytes at two offsets.
func (p Placement) alike(a, b, n int) bool { return p.live[a:a+n] == p.live[b:b+n] }

// endsLine reports whether the n bytes of live at the offset are a line end.
func (p Placement) endsLine(offset, n int) bool {
	s := p.live[offset : offset+n]
	return linetext.End(s) == s
}
