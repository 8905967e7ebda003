package landed

import (
	"slices"
	"strings"

	"redline/edits"
)

// maxReached is how many offsets are tried for the same edit.
const maxReached = 256

// subset finds those of the edits es, valid for Apply, that turn before into exactly
// after. An edit is unclear if only some of the possible subsets have it; all are if
// the text repeats so much that there are too many ways to try. ok is false if there is
// no such subset.
func subset(before string, es []edits.Edit, after string) (landings []edits.Landing, ok bool) {
	w := newWalk(before, es, after)
	at, ok := w.step(0, "", 0)
	if !ok {
		return nil, false
	}
	reached := make([][]int, len(es)+1) // the offsets in after at which edit i may be, ascending
	reached[0] = []int{at}
	for i, e := range es {
		var next []int
		for _, form := range []string{e.Span.Of(before), e.New} {
			for _, at := range reached[i] {
				if end, ok := w.step(at, form, i+1); ok {
					next = append(next, end)
				}
			}
		}
		slices.Sort(next)
		next = slices.Compact(next)
		switch {
		case len(next) == 0:
			return nil, false
		case len(next) > maxReached:
			return make([]edits.Landing, len(es)), true
		}
		reached[i+1] = next
	}
	// Not every reached offset leads to the end.
	landings = make([]edits.Landing, len(es))
	ends := reached[len(es)]
	for i, e := range slices.Backward(es) {
		leads := func(at int, form string) bool {
			end, ok := w.step(at, form, i+1)
			_, found := slices.BinarySearch(ends, end)
			return ok && found
		}
		var starts []int
		without, with := false, false
		for _, at := range reached[i] {
			old, made := leads(at, e.Span.Of(before)), leads(at, e.New)
			without, with = without || old, with || made
			if old || made {
				starts = append(starts, at)
			}
		}
		switch {
		case !with:
			landings[i] = edits.Absent
		case !without || e.New == e.Span.Of(before):
			landings[i] = edits.Landed
		}
		ends = starts
	}
	return landings, true
}

// walk goes from edit to edit through a text in which some of them were made.
type walk struct {
	after string
	gaps  []string // gaps[i] is the text before edit i; the last is the text after all of them
	// How many bytes of after edit i and everything after it can take.
	least, most []int
}

func newWalk(before string, es []edits.Edit, after string) walk {
	w := walk{after, make([]string, len(es)+1), make([]int, len(es)+1), make([]int, len(es)+1)}
	end := len(before)
	for i, e := range slices.Backward(es) {
		rest := before[e.End:end]
		w.gaps[i+1], end = rest, e.Start
		w.least[i] = min(e.Len(), len(e.New)) + len(rest) + w.least[i+1]
		w.most[i] = max(e.Len(), len(e.New)) + len(rest) + w.most[i+1]
	}
	w.gaps[0] = before[:end]
	return w
}

// step returns the offset in after of edit i, or of the end, if the edit before it is
// at the offset at in this form. ok is false if it is not.
func (w walk) step(at int, form string, i int) (end int, ok bool) {
	rest, ok := strings.CutPrefix(w.after[at:], form)
	if ok {
		rest, ok = strings.CutPrefix(rest, w.gaps[i])
	}
	return len(w.after) - len(rest), ok && len(rest) >= w.least[i] && len(rest) <= w.most[i]
}
