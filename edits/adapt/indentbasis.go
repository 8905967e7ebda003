package adapt

import (
	"strings"

	"znkr.io/diff"

	"redline/edits/internal/linetext"
	"redline/edits/internal/pair"
)

// indentBasis is the text whose indentation a new text follows, if the old text and its
// place are indented differently.
type indentBasis uint8

const (
	basisOld        indentBasis = iota // the old text: the new lines move with the place
	basisFile                          // the file: the new lines stay as they are
	basisUnclear                       // it could be either
	basisNeither                       // neither
	basisOnlyIndent                    // the texts differ only in indentation
)

// why returns why a new text with this basis is refused, or "".
func (b indentBasis) why() string {
	switch b {
	case basisUnclear:
		return "it is not clear how deep the new text belongs: some of its lines are indented as in the text to replace and others as in the file"
	case basisNeither:
		return "the new text is indented neither as the text to replace is nor as the file is"
	case basisOnlyIndent:
		return "the edit changes nothing but the indentation, so it must say what this is now"
	}
	return ""
}

// vote is what one line of a new text says about the basis: the text in which its old line
// is indented like the new line.
type vote uint8

const (
	votesNone    vote = iota // no vote: it is an added line
	votesOld                 // in the old text
	votesFile                // in the file
	votesNeither             // in neither
	votesBoth                // in both
)

// indentLines is the indentation of the lines of an old text, of its place and of the
// new text. Blank lines do not count.
type indentLines struct {
	was, is, now []string // indentations of the old lines, of the place, and of the new lines
	wasBodies    []string // lines of was without indentation
	nowBodies    []string
	afterBlank   []bool // whether the new line comes after a blank one

	levels map[string]bool // the set of indentations in was

	wasDeep, isDeep, nowDeep string // the common beginning of all indentations of a kind
}

// newIndentLines builds indentLines from the lines of the three texts, without their line
// ends. The place has as many as the old text.
func newIndentLines(old, there, new []string) *indentLines {
	m := &indentLines{wasDeep: linetext.CommonIndent(old), nowDeep: linetext.CommonIndent(new), levels: map[string]bool{}}
	var is []string
	for i, line := range old {
		if p := linetext.PartsOf(line); p.Body != "" {
			m.was, m.wasBodies = append(m.was, linetext.Plain(p.Indent)), append(m.wasBodies, p.Body)
			m.is = append(m.is, linetext.Plain(linetext.PartsOf(there[i]).Indent))
			is = append(is, there[i])
			m.levels[linetext.Plain(p.Indent)] = true
		}
	}
	m.isDeep = linetext.CommonIndent(is)
	blank := false
	for _, line := range new {
		p := linetext.PartsOf(line)
		if p.Body != "" {
			m.now, m.nowBodies = append(m.now, linetext.Plain(p.Indent)), append(m.nowBodies, p.Body)
			m.afterBlank = append(m.afterBlank, blank)
		}
		blank = p.Body == ""
	}
	return m
}

// basis returns the basis of the new text. The lines that are kept or changed decide; if
// there are none, the indentation of the whole does. A line that is indented as in the
// file may also have been wrapped in something new. So basis pairs lines in two ways; if
// the results differ, the basis is unclear.
func (m *indentLines) basis() indentBasis {
	if len(m.now) == 0 {
		return basisOld
	}
	a := m.by(m.pairs(func(i, j int) bool { return m.now[j] == m.was[i] }))
	b := m.by(m.pairs(func(i, j int) bool { return m.now[j] == m.is[i] }))
	switch {
	case a == b || b >= basisUnclear:
		return a
	case a >= basisUnclear:
		return b
	}
	return basisUnclear
}

// by returns the basis if each new line j keeps or changes old line of[j], or is added if
// of[j] is -1.
func (m *indentLines) by(of []int) indentBasis {
	says, count := m.votes(of)
	switch {
	case count[votesFile] > 0:
		return m.ofFile(of, says, count[votesOld] > 0)
	case count[votesOld] > 0:
		// If the block around the lines is gone, they may stay as deep as they were, or
		// move up to its level. The same holds if they are in a new block.
		asDeep := m.nowDeep == m.isDeep && m.nowDeep != m.wasDeep
		if asDeep && (m.unwrapped(of, says, votesOld) || m.within(says, votesOld)) || m.stray(of, says) {
			return basisUnclear
		}
		return basisOld
	case m.nowDeep == m.wasDeep:
		return basisOld
	case m.nowDeep == m.isDeep && count[votesNeither] == 0 && m.now[0] == m.is[0] && !m.levels[m.now[0]]:
		return basisFile
	}
	return basisNeither
}

// votes returns the vote of each new line, and how often each vote occurs. A changed
// line does not count for the old text if all kept lines are against it.
func (m *indentLines) votes(of []int) (says []vote, count [votesBoth + 1]int) {
	says = make([]vote, len(m.now))
	var stay [votesBoth + 1]bool
	for j, i := range of {
		switch {
		case i < 0:
		case m.now[j] == m.was[i] && m.now[j] == m.is[i]:
			says[j] = votesBoth
		case m.now[j] == m.was[i]:
			says[j] = votesOld
		case m.now[j] == m.is[i]:
			says[j] = votesFile
		default:
			says[j] = votesNeither
		}
		if i >= 0 && m.nowBodies[j] == m.wasBodies[i] {
			stay[says[j]] = true
		}
	}
	for j := range says {
		if says[j] == votesOld && stay[votesFile] && !stay[votesOld] {
			says[j] = votesNeither
		}
		count[says[j]]++
	}
	return says, count
}

// ofFile returns the basis where some lines are indented as in the file. mixed means that
// others are indented as in the old text.
func (m *indentLines) ofFile(of []int, says []vote, mixed bool) indentBasis {
	deeper := len(m.isDeep) > len(m.wasDeep) && strings.HasPrefix(m.isDeep, m.wasDeep)
	switch {
	case !mixed && m.nowDeep == m.isDeep && m.nowDeep != m.wasDeep:
		return basisFile
	case !mixed && deeper && m.onlyAfter():
		return basisFile
	case deeper && m.wrapped(says), mixed && !deeper && m.unwrapped(of, says, votesFile):
		return basisOld
	}
	return basisUnclear
}

// onlyAfter reports whether the new text starts as deep as the place, and its first line
// that is less deep comes after a blank line: something else begins there.
func (m *indentLines) onlyAfter() bool {
	for j, indent := range m.now {
		if !strings.HasPrefix(indent, m.isDeep) {
			return j > 0 && m.afterBlank[j]
		}
	}
	return false
}

// wrapped reports whether a new block around them can explain all lines that are indented
// as in the file.
func (m *indentLines) wrapped(says []vote) bool {
	if !m.within(says, votesFile) {
		return false
	}
	if says[0] != votesNone || opens(m.nowBodies[0]) {
		return true
	}
	for _, indent := range m.now[1:] {
		if !strings.HasPrefix(indent, m.isDeep) {
			return true
		}
	}
	return false // the quote may lack the spaces before its first line
}

// within reports whether each line that votes v is inside an added line, or inside a
// moved line that is inside one.
func (m *indentLines) within(says []vote, v vote) bool {
	in := make([]bool, len(m.now))
	parents := parentsOf(m.now)
	for j := range says {
		if says[j] != v && says[j] != votesNeither {
			continue
		}
		above := parents[j]
		in[j] = above >= 0 && (says[above] == votesNone || in[above])
		if says[j] == v && !in[j] {
			return false
		}
	}
	return true
}

// unwrapped reports whether the parent of each line that votes v was deleted, or was
// unwrapped itself.
func (m *indentLines) unwrapped(of []int, says []vote, v vote) bool {
	stays := make([]bool, len(m.was))
	out := make([]bool, len(m.was))
	parents := parentsOf(m.was)
	for _, i := range of {
		if i >= 0 {
			stays[i] = true
		}
	}
	for j, i := range of {
		if i < 0 || says[j] != v {
			continue
		}
		above := parents[i]
		if out[i] = above >= 0 && (!stays[above] || out[above]); !out[i] {
			return false
		}
	}
	return true
}

// parentsOf returns, for each line, the nearest line above it that is indented less, or
// -1.
func parentsOf(indents []string) []int {
	parents := make([]int, len(indents))
	var open []int // the lines that may enclose a line below, each deeper than the one before
	for j, indent := range indents {
		for len(open) > 0 && len(indents[open[len(open)-1]]) >= len(indent) {
			open = open[:len(open)-1]
		}
		parents[j] = -1
		if len(open) > 0 {
			parents[j] = open[len(open)-1]
		}
		open = append(open, j)
	}
	return parents
}

// stray reports whether an added line may have been written relative to the file: it
// has the file's indentation, and is deeper than the kept line right above it, which
// opens no block.
func (m *indentLines) stray(of []int, says []vote) bool {
	for j := 1; j < len(m.now); j++ {
		if says[j] == votesNone && says[j-1] == votesOld && len(m.now[j]) > len(m.now[j-1]) &&
			m.now[j] == m.is[of[j-1]] && !m.levels[m.now[j]] && !opens(m.nowBodies[j-1]) {
			return true
		}
	}
	return false
}

// opens reports whether other lines can be inside a line, or continue it.
func opens(body string) bool {
	switch body[len(body)-1] {
	case ';', ')', ']', '}', '"', '\'', '`':
		return false
	}
	return !linetext.IsWord(rune(body[len(body)-1]))
}

// pairs returns, for each new line, the old line that it keeps or changes, or -1. It
// pairs as many equal lines as possible; among the ways to do so, it takes the one with
// the most pairs for which liked returns true.
func (m *indentLines) pairs(liked func(i, j int) bool) []int {
	x, y := m.wasBodies, m.nowBodies
	of := make([]int, len(y))
	for j := range of {
		of[j] = -1
	}
	start := 0
	for start < min(len(x), len(y)) && x[start] == y[start] {
		of[start] = start
		start++
	}
	xEnd, yEnd := len(x), len(y)
	for xEnd > start && yEnd > start && x[xEnd-1] == y[yEnd-1] {
		xEnd, yEnd = xEnd-1, yEnd-1
		of[yEnd] = xEnd
	}
	if (xEnd-start)*(yEnd-start) > pair.Max {
		pairFast(of, x, y, start, xEnd, yEnd)
	} else {
		pairBest(of, x, y, start, xEnd, yEnd, liked)
	}
	m.pairBetween(of)
	return of
}

// pairFast pairs the lines of x from start to xEnd with equal ones of y, in any way.
func pairFast(of []int, x, y []string, start, xEnd, yEnd int) {
	for _, e := range diff.Edits(x[start:xEnd], y[start:yEnd]) {
		if e.Op == diff.Match {
			of[start+e.PosY] = start + e.PosX
		}
	}
}

// pairBest is pairFast with the most liked pairs.
func pairBest(of []int, x, y []string, start, xEnd, yEnd int, liked func(i, j int) bool) {
	width := yEnd - start + 1
	best := make([]int, (xEnd-start+1)*width) // best[i][j] is the best result for x[i:] and y[j:]
	at := func(i, j int) *int { return &best[(i-start)*width+j-start] }
	worth := func(i, j int) int {
		switch {
		case x[i] != y[j]:
			return -1
		case liked(i, j):
			return 2*pair.Max + 1
		}
		return 2 * pair.Max
	}
	for i := xEnd - 1; i >= start; i-- {
		for j := yEnd - 1; j >= start; j-- {
			*at(i, j) = max(*at(i+1, j), *at(i, j+1))
			if w := worth(i, j); w >= 0 {
				*at(i, j) = max(*at(i, j), *at(i+1, j+1)+w)
			}
		}
	}
	for i, j := start, start; i < xEnd && j < yEnd; {
		if w := worth(i, j); w >= 0 && *at(i, j) == *at(i+1, j+1)+w {
			of[j] = i
			i, j = i+1, j+1
		} else if *at(i, j) == *at(i+1, j) {
			i++
		} else {
			j++
		}
	}
}

// pairBetween pairs similar lines between those that are paired already.
func (m *indentLines) pairBetween(of []int) {
	i, j := 0, 0
	for end := 0; end <= len(of); end++ {
		to := len(m.wasBodies)
		if end < len(of) {
			if to = of[end]; to < 0 {
				continue
			}
		}
		x, y, first, firstOf := m.wasBodies[i:to], m.nowBodies[j:end], i, j
		pair.Changed(x, y, func(i, j int) {
			if pair.Alike(x[i], y[j]) > 0 {
				of[firstOf+j] = first + i
			}
		})
		i, j = to+1, end+1
	}
}
