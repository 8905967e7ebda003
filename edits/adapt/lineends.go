package adapt

import (
	"cmp"
	"strings"

	"redline/edits"
	"redline/edits/internal/linetext"
)

// OnlyEnds reports whether two texts differ only in their line ends. Such an edit is made
// as written.
func OnlyEnds(old, new string) bool {
	return old != new && linetext.FoldEnds(old) == linetext.FoldEnds(new)
}

// endsFit reports whether new can go into text without a change of its line ends. It
// returns false only if one of them has a "\r".
func endsFit(text, new string) bool {
	return strings.IndexByte(new, '\r') < 0 && (strings.IndexByte(new, '\n') < 0 || strings.IndexByte(text, '\r') < 0)
}

// WithEnds returns an edit of whole lines, placed by their numbers, with the line ends of
// the lines that it replaces or goes beside, and whether that changed any. An edit that
// brings a "\r" and changes only line ends stays as it is.
func WithEnds(text string, e edits.Edit) (edits.Edit, bool) {
	if endsFit(text, e.New) {
		return e, false
	}
	was := e.Span.Of(text)
	if strings.IndexByte(e.New, '\r') >= 0 && OnlyEnds(was, e.New) {
		return e, false
	}
	c := New(text, linetext.FoldEnds(was), e.New, Tolerance{})
	put, err := c.Into(e.Span)
	if err != nil || edits.CountLines(put) != edits.CountLines(e.New) { // a lone "\r" before a "\n" would make two lines one
		return e, false
	}
	return edits.Edit{Span: e.Span, New: put}, c.converted
}

// endings finds the line ends for new lines of a text. In a text with any "\n", a lone
// "\r" is no line end. Callers must seek from left to right.
type endings struct {
	text   string
	cr     bool // the text has only "\r" line ends: before and after are the first and the last
	before int  // the last "\n" before at, or -1
	after  int  // the first "\n" at or after at, or len(text)
	at     int  // the offset of the last seek
}

// endingsOf returns the line ends of text.
func endingsOf(text string) endings {
	e := endings{text: text, before: -1, after: strings.IndexByte(text, '\n')}
	if e.after >= 0 {
		return e
	}
	e.before, e.after = strings.IndexByte(text, '\r'), strings.LastIndexByte(text, '\r')
	e.cr = e.before >= 0
	return e
}

// seek moves to an offset.
func (e *endings) seek(at int) {
	if at < e.at {
		*e = endingsOf(e.text)
	}
	if i := strings.LastIndexByte(e.text[e.at:at], '\n'); i >= 0 {
		e.before = e.at + i
	}
	if e.at = at; e.after < at {
		if i := strings.IndexByte(e.text[at:], '\n'); i >= 0 {
			e.after = at + i
		} else {
			e.after = len(e.text)
		}
	}
}

// last returns the line end of the last line that ends before the offset, or "".
func (e *endings) last(at int) string {
	if e.cr {
		if e.before < at {
			return "\r"
		}
		return ""
	}
	e.seek(at)
	return e.endAt(e.before)
}

// next returns the line end of the first line that ends at or after the offset, or "".
func (e *endings) next(at int) string {
	if e.cr {
		if e.after >= at {
			return "\r"
		}
		return ""
	}
	e.seek(at)
	return e.endAt(e.after)
}

// endAt returns the line end whose "\n" is at the offset, or "" if the offset is
// outside the text.
func (e *endings) endAt(newline int) string {
	switch {
	case newline < 0 || newline >= len(e.text):
		return ""
	case newline > 0 && e.text[newline-1] == '\r':
		return "\r\n"
	}
	return "\n"
}

// around returns, for each line of a place, the line end for a new line that replaces it:
// its own, or that of the line before it. One more follows, for a place without lines.
func (e *endings) around(place edits.Span, there []string) []string {
	start := place.Start
	before := e.last(start)
	after := e.next(place.End)
	out := make([]string, 0, len(there)+1)
	for _, line := range there {
		end := linetext.End(line)
		switch {
		case end == "":
			end = cmp.Or(after, before) // of the same line, or the text ends here
		case end == "\r" && !e.cr:
			end = cmp.Or(before, firstEnd(there), after)
		}
		out = append(out, end)
		before = end
	}
	if len(there) == 0 && (!linetext.IsStart(e.text, start) && after != "" || before == "") {
		before = after
	}
	return append(out, before)
}

// firstEnd returns the first line end that is not a lone "\r", or "".
func firstEnd(lines []string) string {
	for _, line := range lines {
		if end := linetext.End(line); end == "\n" || end == "\r\n" {
			return end
		}
	}
	return ""
}

// separate keeps the line ends on both sides of a place apart from those of put, its new
// text: it drops each "\r" at the end of put that would join the line end after it, and
// adds one where the first "\n" of put would join a "\r" before it.
func (e *endings) separate(place edits.Span, put string) string {
	if strings.HasSuffix(put, "\r") && place.End < len(e.text) &&
		(e.text[place.End] == '\n' || e.text[place.End] == '\r' && !linetext.IsStart(e.text, place.End)) {
		put = strings.TrimRight(put, "\r")
	}
	if strings.HasPrefix(put, "\n") && place.Start > 0 && e.text[place.Start-1] == '\r' {
		put = "\r" + put
	}
	return put
}
