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
	unclear     bool   // which look-alikes new means to keep
	converted   bool   // a line end that new brings was made another
	crs         bool   // old is written with a lone CR for line ends
	ends        endings

	scales  bool                 // the place is indented in another unit
	shifted map[shift]reindented // what was found out for places that are indented so
	scaled  map[scale]reindented // the same, in another unit
}

// newCarry returns what carries the difference between old and new over to
// places that the step has found.
func newCarry(text, old, new string, by step) *carry {
	c := &carry{text: text, given: old, whole: new, shifts: by.shifts, scales: by.scales, looks: by.name == stepLookAlikes}
	if by.name == stepExact && (endsFit(text, new) || onlyEnds(old, new)) {
		c.literal = true
		return c
	}
	c.ends = endingsOf(text)
	if withoutBOM(old) != old && by.name != stepExact {
		old, new = withoutBOM(old), withoutBOM(new)
	}
	c.old, c.new = splitLines(old), splitLines(new)
	c.crs = by.name != stepExact && strings.IndexByte(old, '\r') >= 0 && strings.IndexByte(old, '\n') < 0
	was, is := contents(c.old), contents(c.new)
	c.pairs = pair(was, is)
	if c.shifts {
		c.common = commonIndent(was)
		c.onlyIndent = differInIndent(was, is)
	}
	return c
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
	if c.scales {
		return c.reindent(place, c.scaledTo(there))
	}
	by := c.disguiseOf(there)
	if by.shift != (shift{}) {
		if s := c.shiftedBy(by.shift, there); s != (reindented{}) {
			return c.reindent(place, s)
		}
	}
	var b strings.Builder
	ends := c.ends.around(place, there)
	for j := range c.new {
		line, why := c.line(j, there, by)
		if why != "" {
			return "", c.refuse(place, why)
		}
		end := c.end(j, there, ends)
		if line == "" && end == "\n" && strings.HasSuffix(b.String(), "\r") {
			if end = "\r"; lineEnd(c.new[j]) == "\r\n" {
				end = "\r\n" // not one line end with that before it
			}
		}
		b.WriteString(line)
		b.WriteString(end)
	}
	put := c.ends.separate(place, b.String())
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
		if p.body == "" {
			return strings.TrimPrefix(now, by.drop), ""
		}
		p.indent, why = by.apply(p, by.mixes)
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
		p.indent, why = by.apply(p, by.mixes)
	}
	if before.body != "" && p.tail == before.tail {
		p.tail = here.tail
	}
	if before.body != here.body {
		body, unclear := by.carryWords(here.body, before.body, p.body)
		if p.body = body; unclear != "" {
			c.unclear = true
			return "", unclear
		}
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
	d.mixes = d.shift != (shift{}) && anyMixed(there)
	return d
}

// refuse returns the refusal of a place that the new text does not fit in.
func (c *carry) refuse(place Span, why string) *Refusal {
	line := LineOf(c.text, place.Start) + 1
	reason := ReasonIndent
	if c.unclear {
		reason = ReasonLooks
	}
	return &Refusal{Reason: reason, Nearest: &Near{Line: line, Text: place.of(c.text)}, why: why, old: c.given}
}

// end returns the line end of new line j: in the place of a line its own, else
// that of the lines around. A "\r" alone is no line end to most programs: where
// old is not written with it for line ends, the author means the character.
func (c *carry) end(j int, there, ends []string) string {
	given := lineEnd(c.new[j])
	if given == "" {
		return ""
	}
	asked, own := "", ""
	if i := c.pairs.of[j]; i >= 0 {
		asked, own = lineEnd(c.old[i]), lineEnd(there[i])
	}
	end := ends[max(c.pairs.like[j], 0)]
	switch {
	case own != "" && asked == given:
		end = own
	case given == "\r" && !c.crs || end == "":
		return given
	case own == "\n" || own == "\r\n":
		end = own
	}
	if i := c.pairs.of[j]; end != given && !(asked == given && content(c.old[i]) == content(c.new[j])) {
		c.converted = true
	}
	return end
}
