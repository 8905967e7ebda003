package track

import "slices"

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
