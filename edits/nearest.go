package edits

import (
	"strings"

	"golang.org/x/text/unicode/norm"
)

// Near is the place in a text that is most like a text that is not in it. It
// is for explaining only; no edit is ever made there.
type Near struct {
	Line int    // its first line, counted from 1
	Text string // its lines, with their line ends; a part of one line, if a part of one was asked for
}

// maxNeedle is how much of a text that was not found is looked for again, in bytes.
const maxNeedle = 16 << 10

// maxExact is how many lines are compared whatever it costs.
const maxExact = 200

// maxComposed is how long a text may be, in bytes, to be looked at with its
// characters composed.
const maxComposed = 4 << 20

// nearest returns what of text is most like old, or nil if nothing is much like it:
// the place that has most of its lines, else the one whose line is most like the
// longest line of old, spaces and case aside. It looks at each line of text a few
// times at most, so a long text costs milliseconds.
func nearest(text, old string) *Near {
	want := splitLines(old[:runeStart(old, min(len(old), maxNeedle))])
	line, ok := sharedLines(text, want)
	if !ok {
		line, ok = likeLine(text, want)
	}
	if !ok {
		return nearestShort(text, old)
	}
	first := max(line-maxSlack, 0)
	l := NewLines(someLines(text, first, line+len(want)+maxSlack+2))
	var near *Near
	if len(want) == 1 && lineEnd(old) == "" {
		near = nearestPart(l, max(line, 0)-first, old)
	} else {
		near = fitted(l, line-first, want)
	}
	near.Line += first
	return near
}

// someLines returns lines first to end of text, counted from 0.
func someLines(text string, first, end int) string {
	if hasLoneCR(text) {
		l := NewLines(text)
		return l.spanOf(min(first, l.Count()), min(end, l.Count())).of(text)
	}
	from, at := 0, 0
	for i := 0; i < end && at < len(text); i++ {
		if i == first {
			from = at
		}
		n := strings.IndexByte(text[at:], '\n') + 1
		if n == 0 {
			n = len(text) - at
		}
		at += n
	}
	return text[from:at]
}

// longestLine returns the wanted line that has the most to look for, and which it is.
func longestLine(want []string) (needle string, at int) {
	for i, w := range want {
		if w = strings.TrimSpace(w); len(w) > len(needle) {
			needle, at = w, i
		}
	}
	return needle, at
}

// likeLine returns the line at which the wanted ones would start if their
// longest were the line of the text that is most like it; see [likeness].
func likeLine(text string, want []string) (line int, ok bool) {
	needle, at := longestLine(want)
	lines, like := mostLike(text, needle)
	if like < 1000 && len(text) <= maxComposed && !(isASCII(needle) && isASCII(text)) {
		composed := strings.ToLower(norm.NFKC.String(text))
		if others, more := mostLike(composed, strings.ToLower(norm.NFKC.String(needle))); more > like {
			lines, like = others, more
		}
	}
	switch {
	case like == 0:
		return 0, false
	case len(lines) == 1:
		return lines[0] - at, true
	}
	return bestNeighbours(NewLines(text), lines, want, at), true
}

// mostLike returns the lines of text that are most like needle, and how much so.
func mostLike(text, needle string) (lines []int, like int) {
	if n := newLikeness(needle); n != nil {
		return n.best(text)
	}
	return nil, 0
}

// isASCII reports whether s has ASCII characters only.
func isASCII(s string) bool {
	for ; len(s) >= 8; s = s[8:] {
		if (s[0]|s[1]|s[2]|s[3]|s[4]|s[5]|s[6]|s[7])&0x80 != 0 {
			return false
		}
	}
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// bestNeighbours returns where the wanted lines would start if line at of them were
// one of the given lines: the one around which most of them are alike, and if several
// are, the one that is nearest to it in length.
func bestNeighbours(l *Lines, lines []int, want []string, at int) int {
	best, most := lines[0]-at, -1<<31
	for _, line := range lines {
		n := 0
		for i, w := range want {
			if i != at && line-at+i >= 0 && line-at+i < l.Count() && foldedChars(l.lineText(line-at+i)) == foldedChars(w) {
				n += 1 << 16
			}
		}
		n -= min(max(len(l.lineText(line)), len(want[at]))-min(len(l.lineText(line)), len(want[at])), 1<<16-1)
		if n > most {
			best, most = line-at, n
		}
	}
	return best
}

// lineText returns line i with its line end.
func (l *Lines) lineText(i int) string { return l.Line(i).of(l.text) }

// nearestShort returns the first line that old, a text too short to say how like it
// something is, would be but for spaces, case and form, or else the first place where it
// stands as a word in another case.
func nearestShort(text, old string) *Near {
	word := strings.TrimSpace(old)
	folded := foldedChars(word)
	if len(folded) == 0 || len(folded) >= minLike || !telling(word) || indexEnd(word) >= 0 {
		return nil
	}
	var near *Near
	eachLine(text, func(i int, line string) {
		if near == nil && len(line) < 20*minLike && foldedChars(line) == folded {
			near = &Near{i + 1, line}
			if lineEnd(old) == "" {
				near.Text = strings.TrimSpace(line)
			}
		}
	})
	if near != nil || !isASCII(word) {
		return near
	}
	low, up := word[0]|0x20, word[0]&^0x20
	for at := 0; at+len(word) <= len(text); at++ {
		if c := text[at]; c != low && c != up && c != word[0] || !strings.EqualFold(text[at:at+len(word)], word) {
			continue
		}
		if insideWord(text, at) || insideWord(text, at+len(word)) {
			continue
		}
		l := NewLines(text)
		line := l.LineOf(at)
		if lineEnd(old) != "" {
			return &Near{line + 1, l.lineText(line)}
		}
		return &Near{line + 1, text[at : at+len(word)]}
	}
	return nil
}

// foldedChars is foldedBytes that also takes forms of the same character for each other.
func foldedChars(s string) string {
	if isASCII(s) {
		return foldedBytes(s)
	}
	return foldedBytes(strings.ToLower(norm.NFKC.String(s)))
}

// fitted returns the lines that the wanted ones stand for, if these start at about the
// given line. Of the lines at either end, only those are in it that are like a wanted one.
func fitted(l *Lines, line int, want []string) *Near {
	last := l.Count()
	if last > 1 && l.Line(last-1).Len() == 0 {
		last-- // the empty one at the end of the text
	}
	first := min(max(line, 0), last-1)
	end := min(max(line+len(want), first+1), last)
	slack := min(2+len(want)/2, maxSlack)
	from, to, cost := fit(l, first, end, want)
	if wideFrom, wideTo, wide := fit(l, max(first-slack, 0), min(end+slack, last), want); wide < cost {
		from, to = wideFrom, wideTo
	}
	if from >= to {
		from, to = first, first+1
	}
	return &Near{from + 1, l.text[l.start(from):l.start(to)]}
}

// maxSlack is how many lines around those that were found are looked at besides.
const maxSlack = 20

// fit returns which of the lines first to end the wanted ones stand for, and how much
// these differ: a line that is not there counts as three that are there besides.
func fit(l *Lines, first, end int, want []string) (from, to, cost int) {
	have := make([]string, 0, end-first)
	for i := first; i < end; i++ {
		have = append(have, l.lineText(i))
	}
	from, to = first, end
	hunks := compareLines(bodies(want), bodies(have), len(want) > maxExact)
	for i, h := range hunks {
		gone, come := h.x1-h.x0, h.y1-h.y0
		if h.x0 == 0 && h.y0 == 0 {
			n := unlike(have[:h.y1], want[:h.x1], h.x1 == len(want))
			from, come = from+n, come-n
		}
		if h.x1 == len(want) && h.y1 == len(have) && i == len(hunks)-1 {
			n := unlikeEnd(have[from-first:][:to-from], want, h)
			to, come = to-n, come-n
		}
		cost += 3*gone + come - 2*min(gone, max(come, 0))
	}
	return from, to, cost
}

// unlike returns how many of the first lines of have are not like the wanted line
// across from them. near tells that these are the lines of the wanted ones that the
// place starts with; else both end before a line that is the same.
func unlike(have, want []string, near bool) int {
	for i := range have {
		j := i + len(want) - len(have)
		if near {
			j = i
		}
		if j >= 0 && j < len(want) && muchAlike(have[i], want[j]) {
			return i
		}
	}
	return len(have)
}

// unlikeEnd returns how many of the last lines of have are not like the wanted line
// across from them. The hunk is the last, and ends with both.
func unlikeEnd(have, want []string, h lineHunk) int {
	shift := h.x0 - h.y0 // after a line that is the same
	if h.x0 == 0 && h.y0 == 0 {
		shift = 0
	}
	for n := range h.y1 - h.y0 {
		i := len(have) - 1 - n
		if i < 0 {
			return n
		}
		if j := h.y1 - 1 - n + shift; j >= h.x0 && j < len(want) && muchAlike(have[i], want[j]) {
			return n
		}
	}
	return h.y1 - h.y0
}

// muchAlike reports whether two lines are much like each other.
func muchAlike(a, b string) bool {
	a, b = trimmed(a), trimmed(b)
	if len(a) > 100+4*len(b) || len(b) > 100+4*len(a) {
		return false
	}
	if a, b = foldedChars(a), foldedChars(b); a == b {
		return true
	}
	if n := newLikeness(b); n != nil {
		return n.of(a) > 0
	}
	return false
}

// bodies returns the lines, as a text, without the blanks around them.
func bodies(lines []string) string {
	var b strings.Builder
	for _, line := range lines {
		b.WriteString(trimmed(line))
		b.WriteByte('\n')
	}
	return b.String()
}
