package chat

import (
	"strings"

	"redline/edits"
)

// Request is a comment that asks for a change: one whose text, or a line of whose text, starts
// with "redline:", in any case and in any language. Line comments directly below belong to it.
// In a block comment, the lines below belong to it and those above do not.
type Request struct {
	First, Last int        // its lines, from 0, inclusive
	Text        string     // the request, without the comment's own signs
	Remove      edits.Edit // removes it: whole lines, or the end of a line with the spaces before it
}

// No real request is longer than this. The limits keep the search cheap in generated and
// minified files.
const (
	maxRequestLines = 200
	maxRequestLine  = 16 << 10 // bytes
)

// FindRequest returns the request to which a line, counted from 0, belongs. ok is false if there
// is none, or if the request has no text.
func FindRequest(l *edits.Lines, line int) (r Request, ok bool) {
	if line < 0 || line >= l.Count() {
		return Request{}, false
	}
	// The first lines of a block comment may have no text.
	from := line
	for from < l.Count()-1 && from-line < maxRequestLines && isOpening(lineText(l, from)) {
		from++
	}
	// A block comment may have lines that would be requests by themselves. So the first request
	// that reaches the line counts, not the nearest.
	for i := from; i >= 0 && line-i < maxRequestLines; i-- {
		if found, is := requestAt(l, i); is && found.First <= line && found.Last >= line {
			r, ok = found, true
		}
	}
	return r, ok
}

// Requests returns all requests of a text, in order.
func Requests(l *edits.Lines) []Request {
	var found []Request
	for i := 0; i < l.Count(); i++ {
		if r, ok := requestAt(l, i); ok {
			found = append(found, r)
			i = r.Last
		}
	}
	return found
}

// requestAt returns the request that starts at line i.
func requestAt(l *edits.Lines, i int) (Request, bool) {
	m, ok := findMarker(lineText(l, i))
	if !ok {
		return Request{}, false
	}
	var r Request
	if closer, block := blocks[m.leader]; block {
		r, ok = blockRequest(l, i, m, closer)
	} else if m.leader == "*" || m.leader == "" {
		r, ok = innerRequest(l, i, m)
	} else {
		r, ok = lineRequest(l, i, m), true
	}
	return r, ok && r.Text != ""
}

// lineRequest returns the request in line comments from line i on.
func lineRequest(l *edits.Lines, i int, m marker) Request {
	texts := []string{lineText(l, i)[m.text:]}
	last := i
	for j := i + 1; j < l.Count() && j-i < maxRequestLines; j++ {
		text, ok := m.continued(lineText(l, j))
		if !ok {
			break
		}
		texts, last = append(texts, text), j
	}
	r := Request{First: i, Last: last, Text: tidy(texts, false)}
	if m.own {
		r.Remove.Span = edits.Span{Start: lineStart(l, i), End: l.Line(last).End}
	} else {
		r.Remove.Span = edits.Span{Start: lineStart(l, i) + m.code, End: l.Content(last).End}
	}
	return r
}

// blockRequest returns the request in the block comment that opens in line i. ok is false if the
// block has no end.
func blockRequest(l *edits.Lines, i int, m marker, closer string) (r Request, ok bool) {
	start := lineStart(l, i)
	from := start + m.text
	end := closing(l, i, from, closer)
	if end < 0 {
		return Request{}, false
	}
	r = Request{First: i, Last: l.LineOf(end + len(closer) - 1)}
	r.Text = tidy(splitLines(l.Text()[from:end]), strings.Contains(closer, "*"))
	r.Remove.Span = withoutComment(l, start+m.lead, end+len(closer))
	return r, true
}

// closing returns the offset of the first closer after from, which is in line i. It returns -1
// if that is further away than the longest request.
func closing(l *edits.Lines, i, from int, closer string) int {
	limit := l.Content(min(i+maxRequestLines, l.Count()) - 1).End
	limit = min(limit, from+maxRequestLine)
	size := strings.Index(l.Text()[from:limit], closer)
	if size < 0 {
		return -1
	}
	return from + size
}

// withoutComment returns the range to remove so that nothing is left of the block comment from
// start to end: its whole lines, except for code on them.
func withoutComment(l *edits.Lines, start, end int) edits.Span {
	text := l.Text()
	first, last := l.LineOf(start), l.LineOf(end-1)
	before := text[lineStart(l, first):start]
	behind := text[end:l.Content(last).End]
	code := strings.TrimRight(before, " \t")
	blanks := len(behind) - len(strings.TrimLeft(behind, " \t"))
	switch {
	case blanks < len(behind):
		return edits.Span{Start: start, End: end + blanks}
	case code == "":
		return edits.Span{Start: lineStart(l, first), End: l.Line(last).End}
	}
	return edits.Span{Start: start - len(before) + len(code), End: end + blanks}
}

// tidy joins the lines of a comment's text without the spaces around them. If starred is true,
// it also removes a "*" at the start of a line.
func tidy(lines []string, starred bool) string {
	for i, s := range lines {
		s = strings.TrimSpace(s)
		if starred && i > 0 {
			s = strings.TrimSpace(strings.TrimPrefix(s, "*"))
		}
		lines[i] = s
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// byteOrderMark may begin a file; it belongs to no comment.
const byteOrderMark = "\ufeff"

// lineStart returns the offset of the first byte of line i that is text.
func lineStart(l *edits.Lines, i int) int {
	start := l.Line(i).Start
	if i == 0 && strings.HasPrefix(l.Text(), byteOrderMark) {
		start += len(byteOrderMark)
	}
	return start
}

// lineText returns line i without its line end, or "" if it is longer than any written comment.
func lineText(l *edits.Lines, i int) string {
	start, end := lineStart(l, i), l.Content(i).End
	if end-start > maxRequestLine {
		return ""
	}
	return l.Text()[start:end]
}

// splitLines returns the lines of a text without their line ends.
func splitLines(text string) []string {
	l := edits.NewLines(text)
	lines := make([]string, l.Count())
	for i := range lines {
		c := l.Content(i)
		lines[i] = text[c.Start:c.End]
	}
	return lines
}
