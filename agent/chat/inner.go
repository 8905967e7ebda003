package chat

import (
	"strings"

	"redline/edits"
)

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
