package edits

import "strings"

// meaning is how the indentation of a new text is meant, where the old text is
// indented otherwise than the place where it was found.
type meaning uint8

const (
	meantAsOld   meaning = iota // as that of the old text: its lines move with the place
	meantAsFile                 // as that of the file: its lines stay as they are
	meantUnclear                // it could be either
	meantOther                  // it is neither
	meantNothing                // the texts differ in nothing else
)

// why returns why a new text that is meant so cannot be put in a place, ""
// if it can.
func (m meaning) why() string {
	switch m {
	case meantUnclear:
		return "it is not clear how deep the new text belongs: some of its lines are indented as in the text to replace and others as in the file"
	case meantOther:
		return "the new text is indented neither as the text to replace is nor as the file is"
	case meantNothing:
		return "the edit changes nothing but the indentation, so it must say what this is now"
	}
	return ""
}

// voice is what one line of a new text says about how this is meant: whether
// the old line that it is, or that it has become, is as deep.
type voice uint8

const (
	saysAdded voice = iota // there is no such line
	saysOld                // in the old text
	saysFile               // in the file
	saysMoved              // in neither
	saysBoth               // in both
)

// meant are the lines of an old and a new text that are not blank, in a place
// that is indented otherwise than the old text.
type meant struct {
	was, is, now []string // indentations: of the old lines, of those that are there, of the new
	wasBodies    []string // what the lines hold besides
	nowBodies    []string
	apart        []bool // the new line comes after a blank one

	levels map[string]bool // the indentations in was

	wasDeep, isDeep, nowDeep string // what all indentations of a kind begin with
}

// newMeant returns the lines of three lists of contents; there are as many
// lines in the place as in the old text.
func newMeant(old, there, new []string) *meant {
	m := &meant{wasDeep: commonIndent(old), nowDeep: commonIndent(new), levels: map[string]bool{}}
	var is []string
	for i, line := range old {
		if p := partsOf(line); p.body != "" {
			m.was, m.wasBodies = append(m.was, plain(p.indent)), append(m.wasBodies, p.body)
			m.is = append(m.is, plain(partsOf(there[i]).indent))
			is = append(is, there[i])
			m.levels[plain(p.indent)] = true
		}
	}
	m.isDeep = commonIndent(is)
	blank := false
	for _, line := range new {
		p := partsOf(line)
		if p.body != "" {
			m.now, m.nowBodies = append(m.now, plain(p.indent)), append(m.nowBodies, p.body)
			m.apart = append(m.apart, blank)
		}
		blank = p.body == ""
	}
	return m
}

// meaning returns how the new text is meant. The lines that stay decide, and
// those that a changed line has become; where they say nothing, how deep the
// text is as a whole. What stands as in the file may also have been put, as the
// old text is indented, into something new that is as much deeper: both ways in
// which lines can be paired are looked at, and a doubt is a doubt.
func (m *meant) meaning() meaning {
	if len(m.now) == 0 {
		return meantAsOld
	}
	a := m.by(m.pairs(func(i, j int) bool { return m.now[j] == m.was[i] }))
	b := m.by(m.pairs(func(i, j int) bool { return m.now[j] == m.is[i] }))
	switch {
	case a == b || b >= meantUnclear:
		return a
	case a >= meantUnclear:
		return b
	}
	return meantUnclear
}

// by returns how the new text is meant if its lines are those of the old text
// that of has for them, -1 for none.
func (m *meant) by(of []int) meaning {
	says, count := m.voices(of)
	switch {
	case count[saysFile] > 0:
		return m.ofFile(of, says, count[saysOld] > 0)
	case count[saysOld] > 0:
		// Where what the lines were in is gone, they may stay as deep as they
		// were, or come up to its level.
		// The same where they are in something new.
		asDeep := m.nowDeep == m.isDeep && m.nowDeep != m.wasDeep
		if asDeep && (m.unwrapped(of, says, saysOld) || m.within(says, saysOld)) || m.stray(of, says) {
			return meantUnclear
		}
		return meantAsOld
	case m.nowDeep == m.wasDeep:
		return meantAsOld
	case m.nowDeep == m.isDeep && count[saysMoved] == 0 && m.now[0] == m.is[0] && !m.levels[m.now[0]]:
		return meantAsFile
	}
	return meantOther
}

// voices returns what each new line says, and how many say it. A line that has
// changed says nothing for the old text against those that have not.
func (m *meant) voices(of []int) (says []voice, count [saysBoth + 1]int) {
	says = make([]voice, len(m.now))
	var stay [saysBoth + 1]bool
	for j, i := range of {
		switch {
		case i < 0:
		case m.now[j] == m.was[i] && m.now[j] == m.is[i]:
			says[j] = saysBoth
		case m.now[j] == m.was[i]:
			says[j] = saysOld
		case m.now[j] == m.is[i]:
			says[j] = saysFile
		default:
			says[j] = saysMoved
		}
		if i >= 0 && m.nowBodies[j] == m.wasBodies[i] {
			stay[says[j]] = true
		}
	}
	for j := range says {
		if says[j] == saysOld && stay[saysFile] && !stay[saysOld] {
			says[j] = saysMoved
		}
		count[says[j]]++
	}
	return says, count
}

// ofFile returns how a new text is meant of which lines stand as in the file,
// and some as in the old text if mixed.
func (m *meant) ofFile(of []int, says []voice, mixed bool) meaning {
	deeper := len(m.isDeep) > len(m.wasDeep) && strings.HasPrefix(m.isDeep, m.wasDeep)
	switch {
	case !mixed && m.nowDeep == m.isDeep && m.nowDeep != m.wasDeep:
		return meantAsFile
	case !mixed && deeper && m.onlyAfter():
		return meantAsFile
	case deeper && m.wrapped(says), mixed && !deeper && m.unwrapped(of, says, saysFile):
		return meantAsOld
	}
	return meantUnclear
}

// onlyAfter reports whether the new text starts as deep as the place is, and
// the first line that is less deep comes after a blank line: it begins
// something else.
func (m *meant) onlyAfter() bool {
	for j, indent := range m.now {
		if !strings.HasPrefix(indent, m.isDeep) {
			return j > 0 && m.apart[j]
		}
	}
	return false
}

// wrapped reports whether each line that stands as in the file may have become
// so by something new above it that it is in.
func (m *meant) wrapped(says []voice) bool {
	if !m.within(says, saysFile) {
		return false
	}
	if says[0] != saysAdded || opens(m.nowBodies[0]) {
		return true
	}
	for _, indent := range m.now[1:] {
		if !strings.HasPrefix(indent, m.isDeep) {
			return true
		}
	}
	return false // the blanks of the first line may only have been cut off
}

// within reports whether each line that says v is in something new, or in a
// line that has been moved and is.
func (m *meant) within(says []voice, v voice) bool {
	in := make([]bool, len(m.now))
	parents := parentsOf(m.now)
	for j := range says {
		if says[j] != v && says[j] != saysMoved {
			continue
		}
		above := parents[j]
		in[j] = above >= 0 && (says[above] == saysAdded || in[above])
		if says[j] == v && !in[j] {
			return false
		}
	}
	return true
}

// unwrapped reports whether that which a line was in is gone, for each line
// that says v.
func (m *meant) unwrapped(of []int, says []voice, v voice) bool {
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

// parentsOf returns, for each line, the nearest line above it that is indented
// less, -1 for none.
func parentsOf(indents []string) []int {
	parents := make([]int, len(indents))
	var open []int // the lines that a line below may be in, each deeper than the one before
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

// stray reports whether a new line right below one that stays is deeper than
// this, as deep as the place is and no old line, though the one above opens
// nothing: it may have been written as the file is indented.
func (m *meant) stray(of []int, says []voice) bool {
	for j := 1; j < len(m.now); j++ {
		if says[j] == saysAdded && says[j-1] == saysOld && len(m.now[j]) > len(m.now[j-1]) &&
			m.now[j] == m.is[of[j-1]] && !m.levels[m.now[j]] && !opens(m.nowBodies[j-1]) {
			return true
		}
	}
	return false
}

// opens reports whether a line is one that others may be in, or go on with.
func opens(body string) bool {
	switch body[len(body)-1] {
	case ';', ')', ']', '}', '"', '\'', '`':
		return false
	}
	return !isWord(rune(body[len(body)-1]))
}
