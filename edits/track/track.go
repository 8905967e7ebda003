// Package track follows pieces of a text while the user types: it knows where they are,
// which of them the user has changed, and which the user has restored. Rebase carries
// edits of one text over to another by the same rules.
//
// For a plan, the text with the pieces is the base text with the applied hunks in it
// (plan.Reference). [Place] finds its hunks in the live text, and [Placement.Shift] moves
// them with each edit. So one mechanism serves to show, approve and undo hunks, to open a
// file again and to start after a crash. Where a hunk is, and whether it is stale or made
// by hand ([Placement.Switch]), depends on one editor's text: it is computed, never stored.
package track

import (
	"slices"
	"sort"
	"strings"

	"redline/edits"
	"redline/edits/internal/linetext"
)

// Placement holds the places of pieces of one text, ref, in another, live, that the user
// keeps changing. It is immutable: Shift returns the next one.
//
// A piece is whole lines of ref, or an empty place between two lines. Inserting whole
// lines before its first line, or at the start of the line after it, does not touch it;
// any other change that reaches into its lines does, and the piece is stale. An empty
// piece stays between the two lines that it was made between, right after the first:
// typing in either line does not touch it; joining them, deleting across it, or
// deleting the first does. A stale piece becomes good again when the user restores its
// lines: by undoing, by pasting what was cut, or by hand. Switch notices when the user
// turns a piece into its proposed text by hand.
type Placement struct {
	ref    string
	pieces []edits.Span // places of the pieces in ref
	live   string
	// marks says where the pieces are in live. Starts and ends ascend. Good
	// pieces overlap nothing; stale ones may overlap each other.
	marks    markList
	from, to int // the last Shift changed only marks in this range
	most     int // the largest field more of all marks
}

// mark is where a piece is. The mark of a stale piece covers what is left of its text and
// everything inserted at its ends since: its lines can only come back there.
type mark struct {
	edits.Span
	more  int   // for a good empty piece: how many bytes were inserted right after it
	added bool  // the piece is good, and was empty in its other form
	lost  *lost // nil while the piece is good
}

// lost is what to look for when a piece is stale: the lines that it was between. They
// identify an empty piece; if something was deleted there, it can only come back in
// text inserted since, as the rest may look the same without being the place.
type lost struct {
	neighbours
	more    string // the text inserted right after an empty piece
	deleted bool   // and nothing was inserted since
	// Whether a change to the piece reached beyond its first line or its last, so that
	// its neighbours may have changed.
	beyondStart, beyondEnd bool
}

// neighbours are the lines before and after a place between two lines. One is "" at the
// start or the end of a text.
type neighbours struct{ before, after string }

// Place finds the pieces of ref in live, through the difference of the two. The pieces
// must be sorted, must not overlap, and must be whole lines of ref.
func Place(ref string, pieces []edits.Span, live string) Placement {
	marks := newMarks(len(pieces))
	for i, s := range pieces {
		m := mark{Span: s}
		if !edits.IsWholeLines(ref, s) {
			m.lost = newLost(ref, m, false)
		}
		marks.set(i, m)
	}
	p := Placement{ref: ref, pieces: slices.Clone(pieces), live: ref, marks: marks}
	p = p.Shift(edits.EditsOf(edits.Diff(ref, live)), live)
	p.from, p.to = 0, marks.len()
	return p
}

// Shift returns where the pieces are after the edits es, which turned the text before
// into live. The edits must be valid for [edits.Apply] and are best refined (see
// [edits.Refine]). The cost grows with the change and the number of pieces after it,
// not with the text.
//
// Where the lines of several stale pieces come back in an ambiguous order or place, the
// difference of ref and live decides, for an amount of text in proportion to the
// change; other pieces stay stale until Place looks again.
func (p Placement) Shift(es []edits.Edit, live string) Placement {
	next := Placement{ref: p.ref, pieces: p.pieces, live: live, marks: p.marks.clone(), most: p.most}
	if len(es) == 0 {
		return next
	}
	es = p.aligned(es)
	s := edits.NewShifter(es)
	marks := next.marks
	from := sort.Search(marks.len(), func(i int) bool { return marks.at(i).End+p.most >= es[0].Start })
	to := from
	for ; to < marks.len() && marks.at(to).Start <= es[len(es)-1].End; to++ {
		m := p.carry(marks.at(to), s, live)
		marks.set(to, m)
		next.most = max(next.most, m.more)
	}
	delta := s.Growth()
	marks.shift(to, delta)
	// An empty piece may also be back because a line next to it is.
	if from > 0 && marks.at(from-1).lost != nil || to < marks.len() && marks.at(to).lost != nil {
		changed := around(live, edits.Span{Start: es[0].Start, End: es[len(es)-1].End + delta})
		for from > 0 && marks.at(from-1).End >= changed.Start {
			from--
		}
		for to < marks.len() && marks.at(to).Start <= changed.End {
			to++
		}
	}
	next.restore(from, to, budget(es))
	next.from, next.to = from, to
	return next
}

// Len returns the number of pieces.
func (p Placement) Len() int { return p.marks.len() }

// At returns where piece i is in live. If ok, the span is whole lines of live with
// exactly the bytes of the piece in ref. If not, the piece is stale, and the span is
// the best place to show it.
func (p Placement) At(i int) (span edits.Span, ok bool) {
	m := p.marks.at(i)
	return m.Span, m.lost == nil
}

// reach returns the end of the mark and of the text inserted after it.
func (m mark) reach() int { return m.End + m.more }

// carry moves one mark through the edits that turned p.live into live.
func (p Placement) carry(m mark, s edits.Shifter, live string) mark {
	l := m.lost
	if l == nil {
		kept, ok := s.Kept(m.Span)
		if ok && edits.IsWholeLines(live, kept) {
			next := mark{Span: kept, added: m.added}
			if m.Len() == 0 {
				next.more = max(s.At(m.reach(), edits.Right)-kept.End, 0)
			}
			return next
		}
		l = newLost(p.live, m, !ok && !s.Inserts(m.Span))
	}
	start, end := s.Beyond(m.Span)
	inserted := l.deleted && s.Inserts(m.Span)
	if start || end || inserted {
		changed := *l
		changed.beyondStart = l.beyondStart || start
		changed.beyondEnd = l.beyondEnd || end
		changed.deleted = l.deleted && !inserted
		l = &changed
	}
	return mark{Span: s.Widened(m.Span), lost: l}
}

// newLost returns what to search for, now that the piece at m, good so far, is gone from
// text.
func newLost(text string, m mark, deleted bool) *lost {
	// Copies, so that they do not keep the whole text in memory.
	n := neighbours{strings.Clone(lineBefore(text, m.Start)), strings.Clone(lineAfter(text, m.End))}
	more := strings.Clone(text[m.End:m.reach()])
	return &lost{neighbours: n, more: more, deleted: deleted && m.Len() == 0}
}

// between returns the lines of text around an offset at which a line starts.
func between(text string, offset int) neighbours {
	return neighbours{lineBefore(text, offset), lineAfter(text, offset)}
}

// lineBefore returns the line of text that ends at the offset.
func lineBefore(text string, offset int) string {
	start := offset
	for start--; start > 0 && !linetext.IsStart(text, start); start-- {
	}
	return text[max(start, 0):offset]
}

// lineAfter returns the line of text that starts at the offset.
func lineAfter(text string, offset int) string {
	for end := offset + 1; end < len(text); end++ {
		if linetext.IsStart(text, end) {
			return text[offset:end]
		}
	}
	return text[offset:]
}

// Rebase moves edits of base, in whole lines like those of [edits.Hunk], onto live, a
// version of base that others have changed. out has the edits of live, sorted. made has
// the indices of the edits that live already has: the same new text in the same place,
// between the same lines. conflicts has the indices of the edits without a place in live:
// it changed the same lines in another way, or added lines after a new last line without
// line end. Every edit is in exactly one of the three.
func Rebase(base string, es []edits.Edit, live string) (out []edits.Edit, made, conflicts []int) {
	pieces := make([]edits.Span, len(es))
	for i, e := range es {
		pieces[i] = e.Span
	}
	p, made := Place(base, pieces, live).Switch(func(i int) string { return es[i].New })
	done := made
	for i, e := range es {
		if len(done) > 0 && done[0] == i {
			done = done[1:]
			continue
		}
		span, ok := p.At(i)
		moved := edits.Edit{Span: span, New: e.New}
		if ok && KeepsLines(live, moved) {
			out = append(out, moved)
		} else {
			conflicts = append(conflicts, i)
		}
	}
	return out, made, conflicts
}

// KeepsLines reports whether an edit of whole lines of text leaves the lines around it
// as they are. It does not if it inserts text without a line end and more text follows,
// or if a "\r" and a "\n" would meet. Check it before you make an edit at a good piece
// of a Placement.
func KeepsLines(text string, e edits.Edit) bool {
	before, after := text[:e.Start], text[e.End:]
	if e.New == "" {
		return apart(before, after)
	}
	return apart(before, e.New) && apart(e.New, after)
}

// apart reports whether no line of a continues in b.
func apart(a, b string) bool {
	return a == "" || b == "" || strings.HasSuffix(a, "\n") || strings.HasSuffix(a, "\r") && b[0] != '\n'
}

// markList holds the marks of a Placement in chunks that placements share. The next
// placement copies only the chunks that a change reaches into; for the chunks after
// them it only keeps how far they moved. So the time and memory of a keystroke depend
// on the number of chunks, not of marks.
type markList struct {
	chunks []markChunk
	n      int
}

// markChunk has markChunkSize marks; the last chunk may have fewer.
type markChunk struct {
	marks []mark
	delta int  // to be added to the places of the marks
	own   bool // no other list has these marks: they may be changed
}

const markChunkSize = 128

func newMarks(n int) markList {
	l := markList{make([]markChunk, (n+markChunkSize-1)/markChunkSize), n}
	all := make([]mark, n)
	for i := range l.chunks {
		from := i * markChunkSize
		to := min(from+markChunkSize, n)
		l.chunks[i] = markChunk{marks: all[from:to:to], own: true}
	}
	return l
}

// clone returns a list that can change without changing l.
func (l markList) clone() markList {
	l.chunks = slices.Clone(l.chunks)
	for i := range l.chunks {
		l.chunks[i].own = false
	}
	return l
}

func (l markList) len() int { return l.n }

func (l markList) at(i int) mark {
	c := &l.chunks[i/markChunkSize]
	m := c.marks[i%markChunkSize]
	m.Span = m.Moved(c.delta)
	return m
}

// set changes a mark of a clone that is not shared yet.
func (l markList) set(i int, m mark) {
	c := &l.chunks[i/markChunkSize]
	if !c.own {
		c.marks, c.own = slices.Clone(c.marks), true
	}
	m.Span = m.Moved(-c.delta)
	c.marks[i%markChunkSize] = m
}

// shift moves the marks from i on, in a clone.
func (l markList) shift(i, delta int) {
	if delta == 0 {
		return
	}
	for ; i < l.n && i%markChunkSize != 0; i++ {
		m := l.at(i)
		m.Span = m.Moved(delta)
		l.set(i, m)
	}
	for c := i / markChunkSize; c < len(l.chunks) && i < l.n; c++ {
		l.chunks[c].delta += delta
	}
}
