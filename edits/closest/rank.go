package closest

import (
	"cmp"
	"slices"

	"redline/edits"
	"redline/edits/internal/linetext"
)

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
