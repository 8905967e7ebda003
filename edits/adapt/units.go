package adapt

import (
	"fmt"
	"slices"
	"strings"

	"redline/edits/internal/linetext"
	"redline/edits/internal/showdiff"
	"redline/internal/lazyregexp"
)

// scaledTo returns the text for places that are indented in another unit. there has the
// lines of one such place.
func (c *Adapter) scaledTo(there []string) reindented {
	was, is, now := linetext.Contents(c.old), linetext.Contents(there), linetext.Contents(c.new)
	m := newIndentLines(was, is, now)
	by := scales(m.was, m.is)
	if len(by) == 0 {
		return reindented{why: "the indentation differs, and not in the same way on all lines"}
	}
	if s, ok := c.scaled[by[0]]; ok {
		return s
	}
	s := c.scaleBy(m, by, is, now)
	if c.scaled == nil {
		c.scaled = map[scale]reindented{}
	}
	c.scaled[by[0]] = s
	return s
}

// scaleBy is scaledTo for the scales that fit the place.
func (c *Adapter) scaleBy(m *indentLines, by []scale, is, now []string) reindented {
	if c.onlyIndent {
		return reindented{why: basisOnlyIndent.why()}
	}
	scaled, why := m.scaled(now, by)
	switch basis := m.unitBasis(by, why == "", scaled); basis {
	case basisFile:
		return reindented{by: c.indentedAs(is, now)}
	case basisOld:
		if why == "" {
			why = m.holdsString()
		}
		if why != "" {
			return reindented{why: why}
		}
		return reindented{by: c.indentedAs(is, scaled)}
	default:
		return reindented{why: basis.why()}
	}
}

// scaled returns the new lines with the indentation that all scales give them, or why
// there is none.
func (m *indentLines) scaled(now []string, by []scale) (out []string, why string) {
	for _, s := range by {
		rests := s.rests(m.was)
		lines := slices.Clone(now)
		for j, line := range lines {
			p := linetext.PartsOf(line)
			if p.Body == "" {
				continue
			}
			if p.Indent, why = s.apply(p, rests); why != "" {
				return nil, why
			}
			lines[j] = p.String()
		}
		if out != nil && !slices.Equal(out, lines) {
			return nil, "the file is indented in another unit, and it is not clear in which: the text to replace has too few lines that are indented"
		}
		out = lines
	}
	return out, ""
}

// inFileUnit returns the new lines in the unit of the file. It is for old lines that are
// all equally deep, so that they show no unit. Their depth in another unit must equal the
// depth of the place in the unit of the file, and each new line that is deeper than the
// one before it must be deeper by that other unit.
func (m *indentLines) inFileUnit(now []string, text string) (out []string, ok bool) {
	if linetext.SeveralDepths(m.was) || m.wasDeep == "" || m.isDeep == "" {
		return nil, false
	}
	for _, s := range scales(m.was, m.is) {
		if s.more != 0 || len(m.isDeep)%len(s.to) != 0 || s.to != unitAt(text, m.isDeep) {
			continue
		}
		deeper := false
		for j := 1; j < len(m.now); j++ {
			switch {
			case m.now[j] == m.now[j-1]+s.from:
				deeper = true
			case len(m.now[j]) > len(m.now[j-1]):
				return nil, false
			}
		}
		out, why := m.scaled(now, []scale{s})
		return out, deeper && why == ""
	}
	return nil, false
}

// unitBasis returns the basis of the new text where the place is indented in another unit
// than the old text. scales means that the new text can be in the old text's unit; it
// then becomes scaled.
func (m *indentLines) unitBasis(by []scale, scales bool, scaled []string) indentBasis {
	inFile := m.inUnitOf(by)
	of := m.pairs(func(i, j int) bool { return m.now[j] == m.was[i] })
	_, count := m.votes(of)
	of = m.pairs(func(i, j int) bool { return m.now[j] == m.is[i] })
	_, least := m.votes(of)
	old, file := count[votesOld] > 0, least[votesFile] > 0
	switch {
	case !inFile && (file && !scales || m.jumps(by)):
		return basisUnclear
	case !inFile:
		return basisOld // or neither: then scaling says why
	case !scales && !old:
		return basisFile
	case !scales || old && file:
		return basisUnclear
	case old && !m.jumps(by):
		return basisOld
	case file && least[votesNeither] == 0:
		return basisFile
	case slices.Equal(m.now, indentsIn(scaled)):
		return basisFile // the result is the same
	}
	return basisUnclear
}

// jumps reports whether a new line is deeper than the one before it by one unit of the
// file, if that is several units of the old text and no old line has such a step.
func (m *indentLines) jumps(by []scale) bool {
	s := slices.MaxFunc(by, func(a, b scale) int { return len(a.from) - len(b.from) })
	if len(s.to) <= len(s.from) {
		return false
	}
	known := map[string]bool{}
	for i := 1; i < len(m.was); i++ {
		if m.was[i] == m.was[i-1]+s.to {
			known[m.was[i]] = true
		}
	}
	for j := 1; j < len(m.now); j++ {
		if m.now[j] == m.now[j-1]+s.to && !known[m.now[j]] {
			return true
		}
	}
	return false
}

// indentsIn returns the indentations of the lines that are not blank.
func indentsIn(lines []string) []string {
	var out []string
	for _, line := range lines {
		if p := linetext.PartsOf(line); p.Body != "" {
			out = append(out, p.Indent)
		}
	}
	return out
}

// inUnitOf reports whether the new lines are indented in the unit of the file, by each
// of the scales.
func (m *indentLines) inUnitOf(by []scale) bool {
	for _, s := range by {
		known := scale{from: s.to}.rests(m.is)
		for _, indent := range m.now {
			if _, rest, ok := inUnits(indent, s.to); !ok || rest != "" && !slices.Contains(known, rest) {
				return false
			}
		}
	}
	return true
}

// heredoc matches the start of a text of several lines in a shell, Ruby or PHP.
var heredoc = lazyregexp.New(`(^|[\s(<])<<[-~]?["']?[A-Za-z_]`)

// holdsString returns why the indentation of the new lines must not change: one of them
// begins or ends a string of several lines. It returns "" if none does.
func (m *indentLines) holdsString() string {
	was := map[string]bool{}
	for _, body := range m.wasBodies {
		was[body] = true
	}
	for _, body := range m.nowBodies {
		if !was[body] && boundsString(body) {
			return "it is indented in another unit, and the new text holds a string of several lines, whose indentation is its own"
		}
	}
	return ""
}

// boundsString reports whether a line begins or ends a string of several lines.
func boundsString(body string) bool {
	for _, quote := range []string{`"""`, "'''", "`"} {
		if strings.Count(body, quote)%2 == 1 {
			return true
		}
	}
	return heredoc().MatchString(body)
}

// scale converts the indentation of a text from one unit to another. A line gets as many
// units as it had, plus more, and keeps its other spaces.
type scale struct {
	from, to string // a unit is a tab or some spaces
	more     int    // how many units deeper the other text is
}

// indentUnits are the units that a text may be indented in.
var indentUnits = []string{"\t", " ", "  ", "   ", "    ", "        "}

// inUnits returns how many units deep an indentation is, and its other spaces. ok is
// false if it contains anything else.
func inUnits(indent, unit string) (depth int, rest string, ok bool) {
	same := len(indent) - len(strings.TrimLeft(indent, unit[:1])) // a unit is one character, repeated
	depth = same / len(unit)
	rest = indent[depth*len(unit):]
	return depth, rest, strings.Trim(rest, " ") == ""
}

// maxRest is how many spaces an indentation may have besides its units.
const maxRest = 7

// scales returns the scales that map all indentations of one list to those of another,
// between two different units.
func scales(from, to []string) []scale {
	var out []scale
	for _, x := range indentUnits {
		for _, y := range indentUnits {
			if x == y {
				continue
			}
			if s, ok := scaleOf(from, to, x, y); ok {
				out = append(out, s)
			}
		}
	}
	return out
}

// SameDepths reports whether one scale maps all indentations of one list to those of
// another.
func SameDepths(from, to []string) bool { return len(scales(from, to)) > 0 }

// scaleOf returns the scale between two units that maps all indentations of one list to
// those of another.
func scaleOf(from, to []string, x, y string) (s scale, ok bool) {
	s = scale{from: x, to: y}
	for i := range from {
		a, rest, ok := inUnits(from[i], x)
		b, there, same := inUnits(to[i], y)
		if !ok || !same || rest != there || len(rest) > maxRest || i > 0 && b-a != s.more {
			return scale{}, false
		}
		s.more = b - a
	}
	return s, len(from) > 0
}

// apply returns the indentation of a line in the other unit, or why it has none. rests
// are the spaces beside units that the text is known to have.
func (s scale) apply(p linetext.Parts, rests []string) (indent, why string) {
	depth, rest, ok := inUnits(linetext.Plain(p.Indent), s.from)
	if !ok || rest != "" && !slices.Contains(rests, rest) {
		return "", fmt.Sprintf("the file is indented in another unit, and the new line %q is not indented by a multiple of the one that the text to replace has", showdiff.Clip(p.String()))
	}
	if depth+s.more < 0 {
		return "", fmt.Sprintf("the new line %q is indented less than all lines of the text to replace", showdiff.Clip(p.String()))
	}
	return strings.Repeat(s.to, depth+s.more) + rest, ""
}

// rests returns the spaces that indentations have beside their units.
func (s scale) rests(from []string) []string {
	var out []string
	for _, indent := range from {
		if _, rest, _ := inUnits(indent, s.from); rest != "" && !slices.Contains(out, rest) {
			out = append(out, rest)
		}
	}
	return out
}

// unitAt returns the unit of indentation that a text uses, or "" if the text does not
// show it. indent is the indentation of one place in it.
func unitAt(text, indent string) string {
	switch {
	case strings.Trim(indent, "\t") == "":
		return "\t"
	case strings.Trim(indent, " ") != "":
		return ""
	}
	steps := map[string]int{} // counts each increase in depth
	all, last := 0, ""
	for line := range strings.Lines(text[:min(len(text), maxSurveyed)]) {
		p := linetext.PartsOf(linetext.Content(line))
		if p.Body == "" || p.Body[0] == '*' { // " * " of a comment
			continue
		}
		if step, deeper := strings.CutPrefix(p.Indent, last); deeper && step != "" {
			steps[step]++
			all++
		}
		last = p.Indent
	}
	for _, unit := range indentUnits {
		if unit != "\t" && steps[unit]*3 > all*2 {
			return unit
		}
	}
	return ""
}

// maxSurveyed is how many bytes of a text are read to find its unit.
const maxSurveyed = 1 << 16
