package adapt

import (
	"slices"
	"strings"

	"redline/edits/internal/linetext"
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
