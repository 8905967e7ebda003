package edits

import "strings"

// nearest returns the lines of text that are most like old, or nil if none are
// much like it. It looks at each line of text twice at most, and at no more
// than maxNeedle bytes of old, so a long text costs milliseconds.
func nearest(text, old string) *Near {
	l := NewLines(text)
	want := splitLines(old[:min(len(old), maxNeedle)])
	if line, ok := sharedLines(l, want); ok {
		return near(l, line, len(want))
	}
	if line, ok := likeLine(l, want); ok {
		return near(l, line, len(want))
	}
	return nil
}

// maxNeedle is how much of a text that was not found is looked for again.
const maxNeedle = 16 << 10

// near returns count lines from line on.
func near(l *Lines, line, count int) *Near {
	line = max(line, 0)
	span := Span{l.start(line), l.start(line + count)}
	return &Near{Line: line + 1, Text: span.of(l.text)}
}

// sharedLines returns the first line of those len(want) lines that have most
// of the wanted ones among them, blanks around a line aside. Lines without a
// letter or digit do not count, and at least a third of the others must be
// there.
func sharedLines(l *Lines, want []string) (line int, ok bool) {
	ids := map[string]int{} // of the wanted lines, from 1
	wants := []int{0}       // by id: how often a line is wanted, less how often the window has it
	order := make([]int, len(want))
	total := 0
	for i, w := range want {
		w = strings.TrimSpace(w)
		if !telling(w) {
			continue
		}
		if ids[w] == 0 {
			ids[w] = len(wants)
			wants = append(wants, 0)
		}
		order[i] = ids[w]
		wants[ids[w]]++
		total++
	}
	if total == 0 {
		return 0, false
	}
	has := make([]int, l.Count()) // the id of each line, 0 if it is not wanted
	score, best := 0, 0
	for i := range has {
		if out := i - len(want); out >= 0 && has[out] != 0 {
			if wants[has[out]]++; wants[has[out]] > 0 {
				score--
			}
		}
		s := strings.TrimSpace(l.Line(i).of(l.text))
		if s == "" || ids[s] == 0 {
			continue
		}
		has[i] = ids[s]
		if wants[has[i]]--; wants[has[i]] >= 0 {
			score++
		}
		if score > best {
			best, line = score, max(i+1-len(want), 0)
		}
	}
	if best*3 < total {
		return 0, false
	}
	return line + aligned(has[line:], order), true
}

// aligned returns where the wanted lines would start, relative to has, if most
// of those that has starts with were each at their own place.
func aligned(has, want []int) int {
	index := map[int]int{}
	for i, id := range want {
		if _, ok := index[id]; !ok {
			index[id] = i
		}
	}
	start, votes := 0, map[int]int{}
	for i, id := range has[:min(len(has), len(want))] {
		if id == 0 {
			continue
		}
		at := i - index[id]
		if votes[at]++; votes[at] > votes[start] {
			start = at
		}
	}
	return start
}

// telling reports whether a line says enough to be looked for.
func telling(line string) bool {
	return strings.ContainsFunc(line, func(r rune) bool {
		return r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || r > 0x7F
	})
}

// likeLine returns the line at which the wanted ones would start if their
// longest were the line of the text that shares most pairs of bytes with it,
// which must be more than half of all pairs in both.
func likeLine(l *Lines, want []string) (line int, ok bool) {
	longest := 0
	for i, w := range want {
		if len(strings.TrimSpace(w)) > len(strings.TrimSpace(want[longest])) {
			longest = i
		}
	}
	needle := strings.TrimSpace(want[longest])
	if len(needle) < 4 {
		return 0, false
	}
	var pairs [1 << 16]bool
	for i := 1; i < len(needle); i++ {
		pairs[uint16(needle[i-1])<<8|uint16(needle[i])] = true
	}
	best := 0.5
	for i := range l.Count() {
		s := strings.TrimSpace(l.Line(i).of(l.text))
		if len(s) > 4*len(needle) || len(needle) > 4*len(s) {
			continue
		}
		shared := 0
		for j := 1; j < len(s); j++ {
			if pairs[uint16(s[j-1])<<8|uint16(s[j])] {
				shared++
			}
		}
		if like := float64(shared) / float64(max(len(s), len(needle))-1); like > best {
			best, line, ok = like, i-longest, true
		}
	}
	return line, ok
}
