package edits

import "strings"

// carry carries the difference between an old and a new text over to the
// places where the old one was found, by a step that forgave something. What
// the difference does not touch keeps its bytes.
type carry struct {
	text, given string   // what is edited, and the old text, for a refusal
	old, new    []string // lines, with their line ends
	pairs       pairing
	common      string // the indentation that all old lines have; "" if the step does not shift
	whole       string // not "": new, to be taken byte for byte
	literal     bool   // whole counts
	looks       bool   // the step forgives look-alikes
	shifts      bool   // the place may be indented otherwise
	onlyIndent  bool   // new differs from old in nothing but indentation
	converted   bool   // a line end that new brings was made another
	lastLine    Span   // the content of the line that the place before was in

	shifted map[shift]shifted // what was found out for places that are indented so
}

// newCarry returns what carries the difference between old and new over to
// places that the step has found.
func newCarry(text, old, new string, by step) *carry {
	c := &carry{text: text, given: old, whole: new, shifts: by.shifts, looks: by.name == stepLookAlikes, lastLine: Span{-1, -1}}
	has := func(s string) bool { return strings.IndexByte(s, '\r') >= 0 }
	if by.name == stepExact && (!has(text) || has(old) || has(new)) {
		c.literal = true
		return c
	}
	if withoutBOM(old) != old && by.name != stepExact {
		old, new = withoutBOM(old), withoutBOM(new)
	}
	c.old, c.new = splitLines(old), splitLines(new)
	was, is := contents(c.old), contents(c.new)
	c.pairs = pair(was, is)
	if c.shifts {
		c.common = commonIndent(was)
		c.onlyIndent = differInIndent(was, is)
	}
	return c
}

// WithEnds returns the edit with its line ends made those of the lines that it
// replaces or is put beside, and whether that changed any. An edit that brings
// a "\r" itself is left alone.
func WithEnds(text string, e Edit) (Edit, bool) {
	if strings.IndexByte(e.New, '\n') < 0 || strings.IndexByte(e.New, '\r') >= 0 {
		return e, false
	}
	old := strings.ReplaceAll(strings.ReplaceAll(e.Span.of(text), "\r\n", "\n"), "\r", "\n")
	c := newCarry(text, old, e.New, step{name: stepExact})
	put, err := c.into(e.Span)
	if err != nil || CountLines(put) != CountLines(e.New) { // a lone "\r" before a "\n" would make two lines one
		return e, false
	}
	return Edit{e.Span, put}, c.converted
}

// into returns what is to be in the place instead of what is there. The error,
// a *Refusal, says that the new text cannot be indented as the place is.
func (c *carry) into(place Span) (string, error) {
	if c.literal {
		return c.whole, nil
	}
	there := splitLines(place.of(c.text))
	for len(there) < len(c.old) {
		there = append(there, "") // a blank last line, which the text ends without
	}
	by := c.disguiseOf(there)
	if by.shift != (shift{}) {
		s := c.shiftedBy(by.shift, there)
		if s.why != "" {
			return "", c.refuse(place, s.why)
		}
		if s.asFile != nil {
			put, err := s.asFile.into(place)
			c.converted = c.converted || s.asFile.converted
			return put, err
		}
	}
	var b strings.Builder
	ends := c.endsOf(place, there)
	for j := range c.new {
		line, why := c.line(j, there, by)
		if why != "" {
			return "", c.refuse(place, why)
		}
		end := c.end(j, ends)
		if line == "" && end == "\n" && strings.HasSuffix(b.String(), "\r") {
			end = "\r" // not one line end with that before it
		}
		b.WriteString(line)
		b.WriteString(end)
	}
	put := b.String()
	if n := len(c.old); n > 0 && lineEnd(c.old[n-1]) != "" && lineEnd(there[n-1]) == "" {
		// The text ends where a line end was asked for, and goes on doing so.
		put = strings.TrimSuffix(put, lineEnd(put))
	}
	return put, nil
}

// line returns new line j as it is to be there, without its line end, or why
// it cannot be.
func (c *carry) line(j int, there []string, by disguise) (line, why string) {
	now := content(c.new[j])
	i := c.pairs.of[j]
	if i < 0 {
		p := partsOf(now)
		p.indent, why = by.apply(p, there)
		p.body = by.seen(p.body)
		return p.String(), why
	}
	was, is := content(c.old[i]), content(there[i])
	if was == now {
		return is, ""
	}
	p, before, here := partsOf(now), partsOf(was), partsOf(is)
	if p.body == "" {
		return now, ""
	}
	if before.body != "" && p.indent == before.indent {
		p.indent = here.indent
	} else {
		p.indent, why = by.apply(p, there)
	}
	if before.body != "" && p.tail == before.tail {
		p.tail = here.tail
	}
	if before.body != here.body {
		p.body = by.carryWords(here.body, before.body, p.body)
	} else {
		p.body = by.seen(p.body)
	}
	return p.String(), why
}

// disguiseOf returns how a place differs from the old text.
func (c *carry) disguiseOf(there []string) disguise {
	d := disguise{}
	if c.looks {
		d.looks = looksOf(contents(there), contents(c.old))
	}
	if !c.shifts {
		return d
	}
	for i, line := range c.old {
		if p := partsOf(content(line)); p.body != "" {
			d.shift = shiftOf(plain(p.indent), plain(partsOf(content(there[i])).indent), c.common)
			break
		}
	}
	return d
}

// refuse returns the refusal of a place that the new text does not fit in.
func (c *carry) refuse(place Span, why string) *Refusal {
	line := NewLines(c.text).LineOf(place.Start) + 1
	return &Refusal{Reason: ReasonIndent, Nearest: &Near{line, place.of(c.text)}, why: why, old: c.given}
}

// endsOf returns, for each of the lines that are in the place, the line end
// that a line put there has: its own, if it has none that of the line before.
// There is one more, for a place without lines.
func (c *carry) endsOf(place Span, there []string) []string {
	start, after := c.around(place)
	before := lineEnd(c.text[max(start-2, 0):start])
	ends := make([]string, 0, len(there)+1)
	for _, line := range there {
		end := lineEnd(line)
		if end == "" {
			end = after // of the same line, or the text ends here
		}
		if end == "" {
			end = before
		}
		ends = append(ends, end)
		before = end
	}
	if len(there) == 0 && (start < place.Start && after != "" || before == "") {
		before = after
	}
	return append(ends, before)
}

// around returns where the line starts in which the place does, and the line
// end of the line in which it ends, "" for none.
func (c *carry) around(place Span) (start int, after string) {
	l := c.lastLine // there may be many places in one long line
	if place.Start < l.Start || place.End > l.End {
		l = Span{place.Start, len(c.text)}
		for !isLineStart(c.text, l.Start) {
			l.Start--
		}
		if i := indexEnd(c.text[place.End:]); i >= 0 {
			l.End = place.End + i
		}
		if indexEnd(place.of(c.text)) < 0 {
			c.lastLine = l
		}
	}
	return l.Start, c.endAt(l.End)
}

// endAt returns the line end at the offset, "" at the end of the text.
func (c *carry) endAt(offset int) string {
	if offset == len(c.text) {
		return ""
	}
	return lineEndAt(c.text, offset)
}

// end returns the line end of new line j.
func (c *carry) end(j int, ends []string) string {
	given := lineEnd(c.new[j])
	end := ends[max(c.pairs.like[j], 0)]
	if given == "" || end == "" {
		return given
	}
	if i := c.pairs.of[j]; end != given && !(i >= 0 && lineEnd(c.old[i]) == given && content(c.old[i]) == content(c.new[j])) {
		c.converted = true
	}
	return end
}
