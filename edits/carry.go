package edits

import (
	"strings"

	"redline/edits/internal/linetext"
)

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
	if linetext.WithoutBOM(old) != old && by.name != stepExact {
		old, new = linetext.WithoutBOM(old), linetext.WithoutBOM(new)
	}
	c.old, c.new = linetext.Split(old), linetext.Split(new)
	c.crs = by.name != stepExact && strings.IndexByte(old, '\r') >= 0 && strings.IndexByte(old, '\n') < 0
	was, is := linetext.Contents(c.old), linetext.Contents(c.new)
	c.pairs = pair(was, is)
	if c.shifts {
		c.common = linetext.CommonIndent(was)
		c.onlyIndent = linetext.DifferInIndent(was, is)
	}
	return c
}

// into returns what is to be in the place instead of what is there. The error,
// a *Refusal, says that the new text cannot be indented as the place is.
func (c *carry) into(place Span) (string, error) {
	if c.literal {
		return c.whole, nil
	}
	there := linetext.Split(place.Of(c.text))
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
			if end = "\r"; linetext.End(c.new[j]) == "\r\n" {
				end = "\r\n" // not one line end with that before it
			}
		}
		b.WriteString(line)
		b.WriteString(end)
	}
	put := c.ends.separate(place, b.String())
	if n := len(c.old); n > 0 && linetext.End(c.old[n-1]) != "" && linetext.End(there[n-1]) == "" {
		// The text ends where a line end was asked for, and goes on doing so.
		put = strings.TrimSuffix(put, linetext.End(put))
	}
	return put, nil
}

// line returns new line j as it is to be there, without its line end, or why
// it cannot be.
func (c *carry) line(j int, there []string, by disguise) (line, why string) {
	now := linetext.Content(c.new[j])
	i := c.pairs.of[j]
	if i < 0 {
		p := linetext.PartsOf(now)
		if p.Body == "" {
			return strings.TrimPrefix(now, by.drop), ""
		}
		p.Indent, why = by.apply(p, by.mixes)
		p.Body = by.seen(p.Body)
		return p.String(), why
	}
	was, is := linetext.Content(c.old[i]), linetext.Content(there[i])
	if was == now {
		return is, ""
	}
	p, before, here := linetext.PartsOf(now), linetext.PartsOf(was), linetext.PartsOf(is)
	if p.Body == "" {
		return now, ""
	}
	if before.Body != "" && p.Indent == before.Indent {
		p.Indent = here.Indent
	} else {
		p.Indent, why = by.apply(p, by.mixes)
	}
	if before.Body != "" && p.Tail == before.Tail {
		p.Tail = here.Tail
	}
	if before.Body != here.Body {
		body, unclear := by.carryWords(here.Body, before.Body, p.Body)
		if p.Body = body; unclear != "" {
			c.unclear = true
			return "", unclear
		}
	} else {
		p.Body = by.seen(p.Body)
	}
	return p.String(), why
}

// disguiseOf returns how a place differs from the old text.
func (c *carry) disguiseOf(there []string) disguise {
	d := disguise{}
	if c.looks {
		d.looks = looksOf(linetext.Contents(there), linetext.Contents(c.old))
	}
	if !c.shifts {
		return d
	}
	for i, line := range c.old {
		if p := linetext.PartsOf(linetext.Content(line)); p.Body != "" {
			d.shift = shiftOf(linetext.Plain(p.Indent), linetext.Plain(linetext.PartsOf(linetext.Content(there[i])).Indent), c.common)
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
	return &Refusal{Reason: reason, Nearest: &Near{Line: line, Text: place.Of(c.text)}, why: why, old: c.given}
}

// end returns the line end of new line j: in the place of a line its own, else
// that of the lines around. A "\r" alone is no line end to most programs: where
// old is not written with it for line ends, the author means the character.
func (c *carry) end(j int, there, ends []string) string {
	given := linetext.End(c.new[j])
	if given == "" {
		return ""
	}
	asked, own := "", ""
	if i := c.pairs.of[j]; i >= 0 {
		asked, own = linetext.End(c.old[i]), linetext.End(there[i])
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
	if i := c.pairs.of[j]; end != given && !(asked == given && linetext.Content(c.old[i]) == linetext.Content(c.new[j])) {
		c.converted = true
	}
	return end
}
