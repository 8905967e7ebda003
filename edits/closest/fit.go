package closest

import (
	"strings"

	"redline/edits"
	"redline/edits/internal/linetext"
)

// maxExact is how many lines are compared exactly.
const maxExact = 200

// fitted returns the lines near the given line that match the wanted ones best. It starts
// and ends with a line that is similar to a wanted one.
func fitted(l *edits.Lines, line int, want []string) *Place {
	last := l.Count()
	if last > 1 && l.Line(last-1).Len() == 0 {
		last-- // the empty one at the end of the text
	}
	first := min(max(line, 0), last-1)
	end := min(max(line+len(want), first+1), last)
	from, to, cost := fit(l, first, end, want)
	// Among many lines around, equal lines elsewhere could be taken for the wanted ones.
	for slack := 1; cost > 0 && slack <= min(2+len(want)/2, maxSlack); slack += 1 + slack/3 {
		if wideFrom, wideTo, wide := fit(l, max(first-slack, 0), min(end+slack, last), want); wide < cost {
			from, to, cost = wideFrom, wideTo, wide
		}
	}
	if from >= to {
		from, to = first, first+1
	}
	return &Place{Line: from + 1, Text: l.Text()[l.Start(from):l.Start(to)]}
}

// maxSlack is how many more lines above and below are searched.
const maxSlack = 20

// fit aligns the wanted lines with lines first to end. It returns the lines that match
// and their cost: a missing line costs as much as three extra ones.
func fit(l *edits.Lines, first, end int, want []string) (from, to, cost int) {
	have := make([]string, 0, end-first)
	for i := first; i < end; i++ {
		have = append(have, l.LineText(i))
	}
	from, to = first, end
	hunks := edits.CompareLines(bodies(want), bodies(have), len(want) > maxExact)
	for i, h := range hunks {
		gone, come := h.X1-h.X0, h.Y1-h.Y0
		if h.X0 == 0 && h.Y0 == 0 {
			n := unlike(have[:h.Y1], want[:h.X1], h.X1 == len(want))
			from, come = from+n, come-n
		}
		if h.X1 == len(want) && h.Y1 == len(have) && i == len(hunks)-1 {
			n := unlikeEnd(have[from-first:][:to-from], want, h)
			to, come = to-n, come-n
		}
		cost += 3*gone + come - 2*min(gone, max(come, 0))
	}
	return from, to, cost
}

// unlike returns how many of the first lines of have differ much from the wanted line
// opposite. near means that the place starts with these lines; else both lists end before
// an equal line.
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

// unlikeEnd returns how many of the last lines of have differ much from the wanted line
// opposite. The hunk is the last one, and ends with both lists.
func unlikeEnd(have, want []string, h edits.LineHunk) int {
	shift := h.X0 - h.Y0 // after an equal line
	if h.X0 == 0 && h.Y0 == 0 {
		shift = 0
	}
	for n := range h.Y1 - h.Y0 {
		i := len(have) - 1 - n
		if i < 0 {
			return n
		}
		if j := h.Y1 - 1 - n + shift; j >= h.X0 && j < len(want) && muchAlike(have[i], want[j]) {
			return n
		}
	}
	return h.Y1 - h.Y0
}

// muchAlike reports whether two lines are very similar.
func muchAlike(a, b string) bool {
	a, b = linetext.TrimSpace(a), linetext.TrimSpace(b)
	if len(a) > 100+4*len(b) || len(b) > 100+4*len(a) {
		return false
	}
	if a, b = foldedChars(a), foldedChars(b); a == b {
		return true
	}
	if n := newSimilarity(b); n != nil {
		return n.of(a) > 0
	}
	return false
}

// bodies returns the lines as a text, without the spaces around them.
func bodies(lines []string) string {
	var b strings.Builder
	for _, line := range lines {
		b.WriteString(linetext.TrimSpace(line))
		b.WriteByte('\n')
	}
	return b.String()
}
