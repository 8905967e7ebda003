package closest

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"redline/edits"
	"redline/edits/internal/linetext"
)

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
