package edits

import (
	"fmt"
	"sort"
	"strings"

	"redline/edits/internal/linetext"
)

// Lines is a text with an index of its lines. It never changes and may be
// shared. A line ends with "\n", "\r\n" or a lone "\r" (LSP 3.17,
// TextDocument: EOL).
type Lines struct {
	text   string
	starts []int // byte offset of each line's first byte; starts[0] is 0
	marked bool  // see CutMark
}

// NewLines returns the index of text.
func NewLines(text string) *Lines {
	starts := append(make([]int, 0, strings.Count(text, "\n")+1), 0)
	return &Lines{text: text, starts: appendStarts(starts, text, 1, len(text))}
}

// Text returns the text that the index is for.
func (l *Lines) Text() string { return l.text }

// Count returns the number of lines, at least 1: "a\n" has two lines, the last of them
// empty.
func (l *Lines) Count() int { return len(l.starts) }

// Line returns the span of line i, counted from 0, with its line end. It panics if there
// is no such line.
func (l *Lines) Line(i int) Span {
	if i+1 < len(l.starts) {
		return Span{l.starts[i], l.starts[i+1]}
	}
	return Span{l.starts[i], len(l.text)}
}

// Start returns the offset at which line i starts. The line after the last one starts
// at the end of the text.
func (l *Lines) Start(i int) int {
	if i < len(l.starts) {
		return l.starts[i]
	}
	return len(l.text)
}

// Content returns the span of line i without its line end.
func (l *Lines) Content(i int) Span {
	s := l.Line(i)
	s.End -= len(linetext.End(s.Of(l.text)))
	return s
}

// LineOf returns the line of the byte at offset, counted from 0. An offset outside the
// text counts as its nearest end.
func (l *Lines) LineOf(offset int) int {
	return max(sort.SearchInts(l.starts, offset+1)-1, 0)
}

// Offset returns the byte offset of p. A character beyond the end of its line means the
// end of the line's content; one inside a character means its start (LSP 3.17, Position).
// A negative position, or one in no line, is an error, except the start of the line after
// the last: it means the end of the text, since some clients send it for "everything".
func (l *Lines) Offset(p Position, enc Encoding) (int, error) {
	if p.Line == len(l.starts) && p.Character == 0 {
		return len(l.text), nil
	}
	if p.Line < 0 || p.Character < 0 || p.Line >= len(l.starts) {
		return 0, fmt.Errorf("position %d:%d is outside the text, which has %d lines", p.Line, p.Character, len(l.starts))
	}
	if p.Line == 0 && l.marked {
		p.Character = max(0, p.Character-enc.length(BOM))
	}
	c := l.Content(p.Line)
	return c.Start + enc.offset(c.Of(l.text), p.Character), nil
}

// Position returns the position of a byte offset. An offset outside the text counts as
// its nearest end, one inside a line end as the end of the line's content, one inside a
// character as its start.
func (l *Lines) Position(offset int, enc Encoding) Position {
	offset = min(max(offset, 0), len(l.text))
	line := l.LineOf(offset)
	c := l.Content(line)
	content := c.Of(l.text)
	offset = linetext.RuneStart(content, min(offset-c.Start, len(content)))
	character := enc.length(content[:offset])
	if line == 0 && l.marked {
		character += enc.length(BOM)
	}
	return Position{line, character}
}

// Range returns the range of a span of bytes; see Position.
func (l *Lines) Range(s Span, enc Encoding) Range {
	return Range{l.Position(s.Start, enc), l.Position(s.End, enc)}
}

// Span returns the span of bytes of a range; see Offset. A range that ends
// before it starts is an error.
func (l *Lines) Span(r Range, enc Encoding) (Span, error) {
	start, err := l.Offset(r.Start, enc)
	if err != nil {
		return Span{}, err
	}
	end, err := l.Offset(r.End, enc)
	if err != nil {
		return Span{}, err
	}
	if end < start || r.End.Line < r.Start.Line {
		return Span{}, fmt.Errorf("range %d:%d-%d:%d ends before it starts", r.Start.Line, r.Start.Character, r.End.Line, r.End.Character)
	}
	return Span{start, end}, nil
}

// Replace returns the index of the text after the edit, whose span must be in the text.
// It copies the text and the index, and scans only the new text.
func (l *Lines) Replace(e Edit) *Lines {
	text := l.text[:e.Start] + e.New + l.text[e.End:]
	// Whether a line starts at an offset depends on the bytes on both sides
	// of it, so an edit may add or remove a start at its own two ends.
	head := sort.SearchInts(l.starts, e.Start)
	tail := sort.SearchInts(l.starts, e.End+1)
	starts := make([]int, 0, len(l.starts)+strings.Count(e.New, "\n")+2)
	starts = append(starts, l.starts[:head]...)
	if e.Start == 0 {
		starts = append(starts, 0)
	}
	starts = appendStarts(starts, text, max(e.Start, 1), e.Start+len(e.New))
	moved := len(starts)
	starts = append(starts, l.starts[tail:]...)
	delta := len(e.New) - e.Len()
	for i := moved; i < len(starts); i++ {
		starts[i] += delta
	}
	return &Lines{text, starts, l.marked}
}

// ReplaceAll returns the index of the text after all edits, as [Apply] makes it, with
// one copy of the text and one of the index. The error is that of Apply.
func (l *Lines) ReplaceAll(es []Edit) (*Lines, error) {
	if len(es) == 1 && es[0].Start >= 0 && es[0].Start <= es[0].End && es[0].End <= len(l.text) {
		return l.Replace(es[0]), nil
	}
	text, err := Apply(l.text, es)
	if err != nil {
		return nil, err
	}
	starts := make([]int, 0, len(l.starts)+len(es))
	next, delta := 0, 0 // the first of l.starts still to move, and by how much
	keep := func(to int) {
		for ; next < to; next++ {
			starts = append(starts, l.starts[next]+delta)
		}
	}
	for _, e := range es {
		keep(sort.SearchInts(l.starts, e.Start))
		at := e.Start + delta
		if at == 0 && len(starts) == 0 {
			starts = append(starts, 0)
		}
		from := max(at, 1)
		if n := len(starts); n > 0 {
			from = max(from, starts[n-1]+1) // the edit before may have ended here
		}
		starts = appendStarts(starts, text, from, at+len(e.New))
		next = max(next, sort.SearchInts(l.starts, e.End+1))
		delta += len(e.New) - e.Len()
	}
	keep(len(l.starts))
	return &Lines{text, starts, l.marked}, nil
}

// appendStarts appends the offsets from..to of text, both included, at which a line
// starts. from is at least 1.
func appendStarts(starts []int, text string, from, to int) []int {
	if from <= to && strings.IndexByte(text[from-1:to], '\r') < 0 {
		for p := from - 1; ; {
			i := strings.IndexByte(text[p:to], '\n')
			if i < 0 {
				return starts
			}
			p += i + 1
			starts = append(starts, p)
		}
	}
	for p := from; p <= to; p++ {
		if c := text[p-1]; c <= '\r' && linetext.IsStart(text, p) {
			starts = append(starts, p)
		}
	}
	return starts
}

// LineOf returns the line of the byte at offset, counted from 0. Unlike [Lines.LineOf]
// it needs no index. offset must be in the text or at its end.
func LineOf(text string, offset int) int {
	line := strings.Count(text[:offset], "\n")
	for at := 0; ; {
		i := strings.IndexByte(text[at:offset], '\r')
		if i < 0 {
			return line
		}
		if at += i + 1; at == len(text) || text[at] != '\n' {
			line++ // a lone "\r" ends its line
		}
	}
}

// CountLines returns the number of lines as people count them: without the empty line
// after the last line end.
func CountLines(text string) int {
	n := 0
	for text != "" {
		i := linetext.IndexEnd(text)
		if i < 0 {
			return n + 1
		}
		if strings.HasPrefix(text[i:], "\r\n") {
			i++
		}
		n, text = n+1, text[i+1:]
	}
	return n
}

// IsWholeLines reports whether s is whole lines of text, or empty at the start of one.
func IsWholeLines(text string, s Span) bool {
	return linetext.IsStart(text, s.Start) && (s.Len() == 0 || linetext.IsBound(text, s.End))
}

// LineText returns the text of line i, with its line end.
func (l *Lines) LineText(i int) string { return l.Line(i).Of(l.text) }
