// Package closest finds the place in a text that is most like a missing text. It only
// serves messages: no edit is ever made there.
package closest

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"redline/edits"
	"redline/edits/internal/linetext"
)

// Place is the place in a text that is most like a missing text.
type Place struct {
	Line   int      // number of its first line, counted from 1
	Text   string   // its lines, with their line ends; part of one line, if the missing text is that short
	Others []*Place // the first few places that are nearly as similar
}

// maxNeedle is how many bytes of the missing text are compared.
const maxNeedle = 16 << 10

// maxComposed is how many bytes a text may have to be compared with its characters
// composed.
const maxComposed = 4 << 20

// Find returns the place in text that is most like old, or nil if nothing is similar. It
// compares the places that share most lines with old, and those with a line most like the
// longest line of old that text does not have, ignoring spaces and case. It looks at each
// line of text only a few times, so a long text costs milliseconds.
func Find(text, old string) *Place {
	want := linetext.Split(old[:linetext.RuneStart(old, min(len(old), maxNeedle))])
	starts, absent := sharedLines(text, want)
	if len(starts) != 1 && absent >= 0 {
		for _, line := range likeLines(text, want[absent]) {
			starts = append(starts, line-absent)
		}
	}
	if len(starts) == 0 {
		return nearestShort(text, old)
	}
	if len(starts) > 1 {
		return closest(edits.NewLines(text), starts, want, old)
	}
	first := max(starts[0]-maxSlack, 0)
	near := placeAt(edits.NewLines(someLines(text, first, starts[0]+len(want)+maxSlack+2)), starts[0]-first, want, old)
	near.Line += first
	return near
}

// placeAt returns the place for the wanted lines of old if they start at about a line.
func placeAt(l *edits.Lines, line int, want []string, old string) *Place {
	if len(want) == 1 && linetext.End(old) == "" {
		return nearestPart(l, max(line, 0), old)
	}
	return fitted(l, line, want)
}

// someLines returns lines first to end of text, counted from 0.
func someLines(text string, first, end int) string {
	if linetext.HasLoneCR(text) {
		l := edits.NewLines(text)
		return l.SpanOf(min(first, l.Count()), min(end, l.Count())).Of(text)
	}
	from, at := 0, 0
	for i := 0; i < end && at < len(text); i++ {
		if i == first {
			from = at
		}
		n := strings.IndexByte(text[at:], '\n') + 1
		n = cmp.Or(n, len(text)-at)
		at += n
	}
	return text[from:at]
}

// likeLines returns the lines of text that are most like a wanted one; see [similarity].
func likeLines(text, wanted string) []int {
	needle := linetext.TrimSpace(wanted)
	lines, like := mostLike(text, needle)
	if like < 1000 && len(text) <= maxComposed && !(linetext.IsASCII(needle) && linetext.IsASCII(text)) {
		composed := strings.ToLower(norm.NFKC.String(text))
		if others, more := mostLike(composed, strings.ToLower(norm.NFKC.String(needle))); more > like {
			lines = others
		}
	}
	return lines
}

// mostLike returns the lines of text that are most like needle, and their similarity.
func mostLike(text, needle string) (lines []int, like int) {
	if n := newSimilarity(needle); n != nil {
		return n.best(text)
	}
	return nil, 0
}

// nearestShort handles an old text that is too short to measure similarity. It returns
// the first line that differs from it only in spaces, case and form, or else the first
// place where it is a word in another case.
func nearestShort(text, old string) *Place {
	word := strings.TrimSpace(old)
	folded := foldedChars(word)
	if len(folded) == 0 || len(folded) >= minLike || !telling(word) || linetext.IndexEnd(word) >= 0 {
		return nil
	}
	var near *Place
	eachLine(text, func(i int, line string) {
		if near == nil && len(line) < 20*minLike && foldedChars(line) == folded {
			near = &Place{Line: i + 1, Text: line}
			if linetext.End(old) == "" {
				near.Text = strings.TrimSpace(line)
			}
		}
	})
	if near != nil || !linetext.IsASCII(word) {
		return near
	}
	low, up := word[0]|0x20, word[0]&^0x20
	for at := 0; at+len(word) <= len(text); at++ {
		if c := text[at]; c != low && c != up && c != word[0] || !strings.EqualFold(text[at:at+len(word)], word) {
			continue
		}
		if linetext.InsideWord(text, at) || linetext.InsideWord(text, at+len(word)) {
			continue
		}
		l := edits.NewLines(text)
		line := l.LineOf(at)
		if linetext.End(old) != "" {
			return &Place{Line: line + 1, Text: l.LineText(line)}
		}
		return &Place{Line: line + 1, Text: text[at : at+len(word)]}
	}
	return nil
}

// foldedChars is like foldedBytes, but also unifies the forms of a character and drops
// invisible ones.
func foldedChars(s string) string {
	if linetext.IsASCII(s) {
		return foldedBytes(s)
	}
	s = strings.Map(func(r rune) rune {
		if r >= utf8.RuneSelf && edits.IsHidden(r) {
			return -1
		}
		return r
	}, norm.NFKC.String(s))
	return foldedBytes(strings.ToLower(s))
}

// closest returns the place that differs least from the wanted lines, among those that
// start at about the given lines. Its Others are the places that differ little more.
func closest(l *edits.Lines, starts []int, want []string, old string) *Place {
	slices.Sort(starts)
	var places []*Place
	differ := map[*Place]int{}
	for _, start := range slices.Compact(starts) {
		near := placeAt(l, start, want, old)
		if slices.ContainsFunc(places, func(p *Place) bool { return p.Line == near.Line }) {
			continue
		}
		places = append(places, near)
		differ[near] = difference(linetext.Split(near.Text), want)
	}
	slices.SortStableFunc(places, func(a, b *Place) int { return cmp.Compare(differ[a], differ[b]) })
	best := places[0]
	for _, p := range places[1:] {
		if len(best.Others) < maxOthers && differ[p] <= differ[best]+differ[best]/2+20 {
			best.Others = append(best.Others, p)
		}
	}
	slices.SortFunc(best.Others, func(a, b *Place) int { return cmp.Compare(a.Line, b.Line) })
	return best
}

// maxOthers is how many other places are returned, at most.
const maxOthers = 10

// maxScored is how many lines of each place are compared.
const maxScored = 50

// Costs of lines that are on one side only. A pair of lines costs 1000 less its
// [closeness].
const (
	costGone  = 1000 // wanted and missing
	costCome  = 300  // present and not wanted
	costBlank = 100  // present, not wanted, and only spaces
)

// difference returns by how much lines differ from the wanted ones, in thousandths of a
// line.
func difference(have, want []string) int {
	have, want = have[:min(len(have), maxScored)], want[:min(len(want), maxScored)]
	n := 0
	for _, h := range edits.CompareLines(bodies(want), bodies(have), false) {
		pairs := min(h.X1-h.X0, h.Y1-h.Y0)
		for i := range pairs {
			n += costGone - min(closeness(have[h.Y0+i], want[h.X0+i]), costGone)
		}
		n += costGone * (h.X1 - h.X0 - pairs)
		for _, line := range have[h.Y0+pairs : h.Y1] {
			if n += costCome; linetext.TrimSpace(line) == "" {
				n += costBlank - costCome
			}
		}
	}
	return n
}

// closeness returns the similarity of two lines, in thousandths: the share of the longer
// one's bigrams that the other has too. Lines that differ only in spaces, case, form or
// invisible characters are nearly the same.
func closeness(a, b string) int {
	if a, b = linetext.TrimSpace(a), linetext.TrimSpace(b); a == b {
		return 1000
	}
	if a, b = foldedChars(a), foldedChars(b); a == b {
		return 990
	}
	if len(a) < 2 || len(b) < 2 || len(a)+len(b) > maxLike {
		return 0
	}
	var pairs [1 << 12]bool
	sum := func(s string, i int) int { return (int(s[i-1])*61 + int(s[i])) & (1<<12 - 1) }
	for i := 1; i < len(b); i++ {
		pairs[sum(b, i)] = true
	}
	hits := 0
	for i := 1; i < len(a); i++ {
		if pairs[sum(a, i)] {
			hits++
		}
	}
	return hits * 1000 / (max(len(a), len(b)) - 1)
}

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
