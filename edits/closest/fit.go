package closest

import (
	"strings"
	"unicode"
	"unicode/utf8"

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

// maxPart is how many pairs of characters are compared to find a part of a line.
const maxPart = 1 << 19

// nearestPart returns the part of a line that is most like old, which is a part of a line
// too: the part with the fewest characters to change, in whole words.
func nearestPart(l *edits.Lines, line int, old string) *Place {
	content := l.Content(line).Of(l.Text())
	part := edits.Span{Start: 0, End: len(content)}
	if len(content)*len(old) <= maxPart {
		part = partLike(content, old)
	}
	if part.Len() == 0 {
		return &Place{Line: line + 1, Text: l.LineText(line)}
	}
	return &Place{Line: line + 1, Text: part.Of(content)}
}

// Costs of turning one text into another.
const (
	costSmall = 1 // a character is another case, form or space; a space more or less
	costOther = 2
)

// partLike returns the part of a line with the least edit distance from old (P. Sellers,
// "The theory and computation of evolutionary distances", 1980).
func partLike(line, old string) edits.Span {
	x, y := linetext.CharsOf(old), linetext.CharsOf(line)
	// For each column of y: the least cost of turning x up to the current row into a
	// part that ends there, and where that part starts.
	costs, starts := make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range starts {
		starts[j] = j
	}
	for _, c := range x {
		across, from := costs[0], starts[0] // from the row above, one column before
		costs[0] += costOf(c)
		for j, d := range y {
			cost, start := across+costTo(c, d), from
			across, from = costs[j+1], starts[j+1]
			if more := across + costOf(c); more < cost {
				cost, start = more, from
			}
			if more := costs[j] + costOf(d); more < cost {
				cost, start = more, starts[j]
			}
			costs[j+1], starts[j+1] = cost, start
		}
	}
	end := 0
	for j := range costs {
		if costs[j] < costs[end] || costs[j] == costs[end] && j > 0 && len(x) > 0 && y[j-1].Text == x[len(x)-1].Text {
			end = j
		}
	}
	s := edits.Span{Start: starts[end], End: end}
	return wholeWords(line, old, edits.Span{Start: linetext.OffsetOf(y, s.Start), End: linetext.OffsetOf(y, s.End)})
}

// wholeWords widens a part of a line to whole words, and by the marks that end both. It keeps the spaces around them
// only where old has some.
func wholeWords(line, old string, s edits.Span) edits.Span {
	for s.Start > 0 && linetext.InsideWord(line, s.Start) {
		s.Start = linetext.RuneStart(line, s.Start-1)
	}
	for s.End < len(line) && linetext.InsideWord(line, s.End) {
		_, width := utf8.DecodeRuneInString(line[s.End:])
		s.End += width
	}
	if tail := marksAfter(old); !strings.HasSuffix(s.Of(line), tail) && strings.HasPrefix(line[s.End:], tail) {
		s.End += len(tail)
	}
	body := strings.Trim(s.Of(line), " \t")
	s.Start += strings.Index(s.Of(line), body)
	s.End = s.Start + len(body)
	if strings.TrimLeft(old, " \t") != old {
		s.Start = len(strings.TrimRight(line[:s.Start], " \t"))
	}
	if linetext.TrimBlanks(old) != old {
		s.End = len(line) - len(strings.TrimLeft(line[s.End:], " \t"))
	}
	return s
}

// marksAfter returns what follows the last word of a text on its line, such as a quotation mark.
func marksAfter(text string) string {
	end := len(text)
	for end > 0 {
		r, width := utf8.DecodeLastRuneInString(text[:end])
		if unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsSpace(r) || r == '_' {
			break
		}
		end -= width
	}
	return text[end:]
}

// costOf returns the cost of inserting or deleting c.
func costOf(c linetext.Char) int {
	if c.Folded == " " {
		return costSmall
	}
	return costOther
}

// costTo returns the cost of replacing c by d.
func costTo(c, d linetext.Char) int {
	switch {
	case c.Text == d.Text:
		return 0
	case c.Folded == d.Folded:
		return costSmall
	}
	return costOther
}
