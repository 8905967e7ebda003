package edits

// shifted is what a carry does in places that have one shift.
type shifted struct {
	why    string // why the new text cannot be put there, "" if it can
	asFile *carry // carries the difference between the old text, indented as the place is, and the new; nil if the new is shifted
}

// shiftedBy returns what to do in places with the shift, of which there are
// the lines of one.
func (c *carry) shiftedBy(by shift, there []string) shifted {
	if s, ok := c.shifted[by]; ok {
		return s
	}
	was, is, now := contents(c.old), contents(there), contents(c.new)
	meaning := meantNothing
	if !c.onlyIndent {
		meaning = newMeant(was, is, now).meaning()
	}
	s := shifted{why: meaning.why()}
	switch meaning {
	case meantAsFile:
		s.asFile = c.indentedAs(is, now)
	case meantOther:
		for _, line := range now {
			if _, why := by.apply(partsOf(line), there); why != "" {
				s.why = why // which names the line
				break
			}
		}
	}
	if c.shifted == nil {
		c.shifted = map[shift]shifted{}
	}
	c.shifted[by] = s
	return s
}

// indentedAs returns the carry whose old lines are indented as those of a
// place, and whose new lines are these.
func (c *carry) indentedAs(is, now []string) *carry {
	d := *c
	d.shifted, d.onlyIndent = nil, false
	d.old, d.new = make([]string, len(c.old)), make([]string, len(c.new))
	for i, line := range c.old {
		p := partsOf(content(line))
		if p.body != "" {
			p.indent = plain(partsOf(is[i]).indent)
		}
		d.old[i] = p.String() + lineEnd(line)
	}
	for j, line := range c.new {
		d.new[j] = now[j] + lineEnd(line)
	}
	was := contents(d.old)
	d.pairs, d.common = pair(was, now), commonIndent(was)
	return &d
}
