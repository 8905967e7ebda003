package adapt

import (
	"cmp"
	"strings"

	"redline/edits"
	"redline/edits/internal/linetext"
)

// OnlyEnds reports whether two texts differ in their line ends and in nothing
// else. An edit from one to the other means what it says of them.
func OnlyEnds(old, new string) bool {
	return old != new && linetext.FoldEnds(old) == linetext.FoldEnds(new)
}

// endsFit reports whether new has no line end that could have to be another in
// text. It is only false where there is a "\r" in one of them.
func endsFit(text, new string) bool {
	return strings.IndexByte(new, '\r') < 0 && (strings.IndexByte(new, '\n') < 0 || strings.IndexByte(text, '\r') < 0)
}

// WithEnds returns the edit, of whole lines that were given by their number,
// with line ends of the lines that it replaces or is put beside, and whether
// that changed any. An edit that brings a "\r" and changes nothing but line ends
// is left alone.
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

// endings finds the line ends that new lines of a text get. Where there is any
// "\n", a "\r" alone is none of them. It is asked for places from left to right.
type endings struct {
	text   string
	cr     bool // the text has "\r" only: before and after are the first one and the last
	before int  // the last "\n" before the offset that was asked about last, or -1
	after  int  // the first "\n" at or after it, or len(text)
	at     int  // that offset
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

// seek goes on to an offset.
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

// last returns the line end of the last line that ends before the offset, ""
// if none does.
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

// next returns the line end of the first line that ends at the offset or after
// it, "" if none does.
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

// endAt returns the line end whose "\n" is at the offset, "" if it is outside.
func (e *endings) endAt(newline int) string {
	switch {
	case newline < 0 || newline >= len(e.text):
		return ""
	case newline > 0 && e.text[newline-1] == '\r':
		return "\r\n"
	}
	return "\n"
}

// around returns, for each of the lines that are in a place, the line end of a
// new line in its stead: its own, if it has none that of the line before. There
// is one more, for a place without lines.
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

// firstEnd returns the first line end of the lines that is no lone "\r", "" if
// there is none.
func firstEnd(lines []string) string {
	for _, line := range lines {
		if end := linetext.End(line); end == "\n" || end == "\r\n" {
			return end
		}
	}
	return ""
}

// separate returns put, which is to be in the place, without "\r"s at its end that
// would become part of the line end after it; and so that its first line end is not
// joined with a "\r" before it.
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
