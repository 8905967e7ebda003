package chat

import (
	"strings"

	"redline/edits"
	"redline/edits/track"
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

// FindMoved returns the request that stood in the lines of comment, of the text was, in the text now:
// it may have moved or changed, and ok is false if it is gone.
func FindMoved(was string, comment Request, now string) (r Request, ok bool) {
	asked := edits.NewLines(was)
	if comment.Last >= asked.Count() {
		return Request{}, false
	}
	span := edits.Span{Start: asked.Line(comment.First).Start, End: asked.Line(comment.Last).End}
	at, _ := track.Place(was, []edits.Span{span}, now).At(0)
	lines := edits.NewLines(now)
	for line := lines.LineOf(at.Start); line <= lines.LineOf(max(at.Start, at.End-1)); line++ {
		if r, found := FindRequest(lines, line); found {
			return r, true
		}
	}
	return Request{}, false
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

// block is a block comment, as byte offsets in the text.
type block struct {
	start, body int // start and end of its opener
	end, after  int // start and end of its closer
}

// innerRequest returns the request that starts at line i in a block comment that begins above
// it. The request removes the whole comment if nothing else is in it.
func innerRequest(l *edits.Lines, i int, m marker) (Request, bool) {
	b, ok := enclosing(l, i, m)
	if !ok {
		return Request{}, false
	}
	text := l.Text()
	within := func(j int) string { return text[lineStart(l, j):min(l.Content(j).End, b.end)] }
	lines, last := []string{within(i)[m.text:]}, i
	for j := i + 1; j < l.Count() && lineStart(l, j) < b.end; j++ {
		line, ok := m.continued(within(j))
		if !ok {
			break
		}
		lines = append(lines, line)
		if strings.TrimSpace(line) != "" {
			last = j
		}
	}
	r := Request{First: i, Last: last, Text: tidy(lines, m.leader == "" && text[b.end] == '*')}
	start, end := lineStart(l, i), l.Content(last).End
	switch {
	case isEmpty(text[b.body:start]) && isEmpty(text[min(end, b.end):b.end]):
		r.First, r.Last = l.LineOf(b.start), l.LineOf(b.after-1)
		r.Remove.Span = withoutComment(l, b.start, b.after)
	case b.end <= end:
		r.Remove.Span = edits.Span{Start: start + m.lead, End: b.end}
	default:
		r.Remove.Span = edits.Span{Start: start, End: l.Line(last).End}
	}
	return r, true
}

// enclosing returns the block comment around line i. If each of its lines begins with "*", it
// may open anywhere in a line, unless it is a list in Markdown. Otherwise it must open at the
// start of a line, since what looks like an opener elsewhere is often a glob.
func enclosing(l *edits.Lines, i int, m marker) (block, bool) {
	for j := i - 1; j >= 0 && i-j < maxRequestLines; j-- {
		s := lineText(l, j)
		at, opener := len(s)-len(strings.TrimLeft(s, " \t")), ""
		if m.leader == "*" {
			if at = max(strings.LastIndex(s, "/*"), strings.LastIndex(s, "(*")); at >= 0 {
				opener = s[at : at+len("/*")]
			} else if !strings.HasPrefix(strings.TrimLeft(s, " \t"), "*") {
				return block{}, false
			}
		} else {
			opener = openerOf(s[at:])
		}
		if opener != "" {
			return closed(l, i, m, lineStart(l, j)+at, opener)
		}
	}
	return block{}, false
}

// closed returns the block comment that starts at start, if it ends after the marker in line
// i.
func closed(l *edits.Lines, i int, m marker, start int, opener string) (block, bool) {
	text, closer := l.Text(), blocks[opener]
	b := block{start: start, body: start + len(opener)}
	here := lineStart(l, i) + m.text
	b.end = closing(l, i, here, closer)
	b.after = b.end + len(closer)
	if b.end < 0 || strings.Contains(text[b.body:here], closer) {
		return block{}, false
	}
	if first := lineStart(l, l.LineOf(start)); strings.TrimLeft(text[first:start], " \t") == "{" && strings.HasPrefix(text[b.after:], "}") {
		b.start, b.after = b.start-1, b.after+1 // JSX has its comments in braces
	}
	return b, true
}

// openerOf returns the opener of a block comment at the start of s, or "".
func openerOf(s string) string {
	for _, opener := range []string{"/*", "{/*", "<!--", "(*", "{-"} {
		if strings.HasPrefix(s, opener) {
			return opener
		}
	}
	return ""
}

// isEmpty reports whether a part of a block comment has no text.
func isEmpty(s string) bool { return strings.Trim(s, " \t\r\n*") == "" }

// isOpening reports whether a line may begin a block comment and has none of its text.
func isOpening(line string) bool {
	signs := strings.TrimRight(line, " \t*")
	for _, opener := range []string{"/", "(", "<!--", "{-"} {
		if strings.HasSuffix(signs, opener) {
			return true
		}
	}
	return signs == ""
}
