// Package edits works on text: it finds lines and characters, applies edits and compares
// texts. The packages under it find the place of an edit (match) and follow it while the
// user types (track). None of them holds state or does I/O.
//
// A text is a string, which may hold any bytes. Offsets are in bytes and lines
// are counted from 0, unless a name says otherwise.
package edits

import (
	"fmt"
	"strings"
)

// Edit replaces the bytes of Span by New.
type Edit struct {
	Span
	New string
}

// Apply returns text after all edits. They must be sorted by Start and must not overlap;
// several insertions at one offset go in one after the other. Otherwise, or if an edit
// reaches outside the text, Apply applies none and returns an error that names the first
// wrong edit.
func Apply(text string, es []Edit) (string, error) {
	size, last := len(text), 0
	for i, e := range es {
		if e.Start < last || e.End < e.Start || e.End > len(text) {
			return "", fmt.Errorf("edit %d of %d, of bytes %d to %d, overlaps the one before it or is outside the text of %d bytes", i+1, len(es), e.Start, e.End, len(text))
		}
		last = e.End
		size += len(e.New) - e.Len()
	}
	var b strings.Builder
	b.Grow(size)
	last = 0
	for _, e := range es {
		b.WriteString(text[last:e.Start])
		b.WriteString(e.New)
		last = e.End
	}
	b.WriteString(text[last:])
	return b.String(), nil
}

// Coalesce joins edits that touch. The edits must be valid for Apply.
func Coalesce(es []Edit) []Edit {
	var out []Edit
	for len(es) > 0 {
		n := 1
		for n < len(es) && es[n].Start == es[n-1].End {
			n++
		}
		together := Edit{Span: Span{es[0].Start, es[n-1].End}, New: es[0].New}
		if n > 1 {
			var b strings.Builder
			for _, e := range es[:n] {
				b.WriteString(e.New)
			}
			together.New = b.String()
		}
		out, es = append(out, together), es[n:]
	}
	return out
}

// Invert returns the edits that undo es: they turn the result of Apply back into text.
// The edits must be valid for Apply.
func Invert(text string, es []Edit) []Edit {
	out := make([]Edit, len(es))
	delta := 0
	for i, e := range es {
		start := e.Start + delta
		out[i] = Edit{Span{start, start + len(e.New)}, e.Span.Of(text)}
		delta += len(e.New) - e.Len()
	}
	return out
}
