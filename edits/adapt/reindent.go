package adapt

import (
	"fmt"
	"slices"
	"strings"

	"redline/edits"
	"redline/edits/internal/linetext"
	"redline/edits/internal/pair"
	"redline/edits/internal/showdiff"
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

// RepeatedIndent returns the indentation that a line would get twice: old starts after
// the indentation of its line, and new starts with it. It returns "" if that may be
// intended: if only the indentation changes, if the lines below become deeper too, or
// if the places are not all indented so.
func RepeatedIndent(text string, places []edits.Span, old, new string) string {
	if old == "" || new == "" || !blankByte(new[0]) || blankByte(old[0]) {
		return ""
	}
	indent := indentBefore(text, places[0].Start)
	for _, p := range places[1:] {
		if indentBefore(text, p.Start) != indent {
			return ""
		}
	}
	first := linetext.PartsOf(linetext.Content(linetext.Split(new)[0]))
	if indent == "" || first.Indent != indent || first.Body == "" {
		return ""
	}
	was, now := linetext.Contents(linetext.Split(old)), linetext.Contents(linetext.Split(new))
	if linetext.DifferInIndent(was, now) {
		return ""
	}
	m := newIndentLines(was, was, now)
	for j, i := range m.pairs(func(i, j int) bool { return m.now[j] == m.was[i] }) {
		if i > 0 && m.nowBodies[j] == m.wasBodies[i] && m.now[j] != m.was[i] {
			return ""
		}
	}
	if len(m.now) == 1 || opens(first.Body) {
		return indent
	}
	for _, below := range m.now[1:] {
		if len(below) <= len(indent) {
			return indent
		}
	}
	return ""
}

// blankByte reports whether b is a space or a tab.
func blankByte(b byte) bool { return b == ' ' || b == '\t' }

// indentBefore returns the spaces and tabs between the start of a line and the offset,
// or "" if there is anything else.
func indentBefore(text string, offset int) string {
	start := len(linetext.TrimBlanks(text[:offset]))
	if !linetext.IsStart(text, start) {
		return ""
	}
	return strings.TrimPrefix(text[start:offset], edits.BOM)
}

// shift is the difference between the indentation of the old text and that of a place:
// where the old text has drop, the place has put.
type shift struct{ drop, put string }

// shiftOf returns the shift from a line of the old text to the line of the place.
// common is the indentation that all old lines share.
func shiftOf(asked, found, common string) shift {
	b := strings.TrimSuffix(found, asked[len(common):])
	switch {
	case strings.HasSuffix(b, common):
		return shift{"", b[:len(b)-len(common)]}
	case strings.HasSuffix(common, b):
		return shift{common[:len(common)-len(b)], ""}
	}
	return shift{common, b}
}

// apply returns the indentation of line p of a new text in a place, or why there is none.
// mixes means that a line of the place is indented with both tabs and spaces.
func (s shift) apply(p linetext.Parts, mixes bool) (indent, why string) {
	if p.Body == "" || s == (shift{}) {
		return p.Indent, ""
	}
	rest, ok := strings.CutPrefix(linetext.Plain(p.Indent), s.drop)
	if !ok {
		return "", fmt.Sprintf("the new line %q is indented less than all lines of the text to replace", showdiff.Clip(p.String()))
	}
	indent = s.put + rest
	if mixed(indent) && !mixes {
		return "", fmt.Sprintf("the new line %q would be indented with both tabs and spaces", showdiff.Clip(p.String()))
	}
	return indent, ""
}

// anyMixed reports whether a line is indented with both tabs and spaces.
func anyMixed(lines []string) bool {
	return slices.ContainsFunc(lines, func(line string) bool { return mixed(linetext.PartsOf(line).Indent) })
}

// mixed reports whether an indentation has both tabs and spaces.
func mixed(indent string) bool {
	return strings.Contains(indent, " ") && strings.Contains(indent, "\t")
}
