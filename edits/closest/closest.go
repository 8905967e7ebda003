package closest

import (
	"cmp"
	"slices"
	"strings"
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
		if n == 0 {
			n = len(text) - at
		}
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
