package adapt

import (
	"redline/edits"
	"redline/edits/internal/linetext"
	"redline/edits/internal/pair"
)

// reindented is the text that an Adapter inserts in places that differ from the old text
// by the same shift or units. The zero value means the shifted new text.
type reindented struct {
	why string   // why the new text does not fit the place, "" if it does
	by  *Adapter // applies the difference between the two texts, both indented like the file
}

// reindent returns the text that replaces a place.
func (c *Adapter) reindent(place edits.Span, s reindented) (string, error) {
	if s.why != "" {
		return "", &Clash{Place: place, Why: s.why}
	}
	put, err := s.by.Into(place)
	c.converted = c.converted || s.by.converted
	return put, err
}

// shiftedBy returns the text for places with the shift. there has the lines of one such
// place.
func (c *Adapter) shiftedBy(by shift, there []string) reindented {
	if s, ok := c.shifted[by]; ok {
		return s
	}
	was, is, now := linetext.Contents(c.old), linetext.Contents(there), linetext.Contents(c.new)
	basis, m := basisOnlyIndent, newIndentLines(was, is, now)
	if !c.onlyIndent {
		basis = m.basis()
	}
	s := reindented{why: basis.why()}
	switch basis {
	case basisFile:
		s.by = c.indentedAs(is, now)
	case basisOld:
		if scaled, ok := m.inFileUnit(now, c.text); ok && m.holdsString() == "" {
			s.by = c.indentedAs(is, scaled)
		}
	case basisNeither:
		mixes := anyMixed(there)
		for _, line := range now {
			if _, why := by.apply(linetext.PartsOf(line), mixes); why != "" {
				s.why = why // the message names the line
				break
			}
		}
	}
	if c.shifted == nil {
		c.shifted = map[shift]reindented{}
	}
	c.shifted[by] = s
	return s
}

// indentedAs returns an Adapter whose old lines are indented like is, the lines of a
// place, and whose new lines are now.
func (c *Adapter) indentedAs(is, now []string) *Adapter {
	d := *c
	d.shifted, d.onlyIndent, d.scales = nil, false, false
	d.old, d.new = make([]string, len(c.old)), make([]string, len(c.new))
	for i, line := range c.old {
		p := linetext.PartsOf(linetext.Content(line))
		if p.Body != "" {
			p.Indent = linetext.Plain(linetext.PartsOf(is[i]).Indent)
		}
		d.old[i] = p.String() + linetext.End(line)
	}
	for j, line := range c.new {
		d.new[j] = now[j] + linetext.End(line)
	}
	was := linetext.Contents(d.old)
	d.pairs, d.common = pair.Lines(was, now), linetext.CommonIndent(was)
	return &d
}
