// Package landed finds out, from the text alone, which of the edits sent to an editor it
// has made.
package landed

import (
	"slices"
	"strings"

	"redline/edits"
)

// Of finds out, from the text after alone, which of the edits es to the text before an
// editor has made. If a subset of them turns before into exactly after, that subset has
// landed; if several subsets do, the edits in which they differ are Unclear. Otherwise
// the user may have typed before, during and after. The edits must be valid for Apply; if
// not, all are Unclear.
func Of(before string, es []edits.Edit, after string) []edits.Landing {
	out := make([]edits.Landing, len(es))
	proposed, err := edits.Apply(before, es)
	if err != nil {
		return out
	}
	if after == proposed {
		for i := range out {
			out[i] = edits.Landed
		}
		return out
	}
	judge := func(edits.Region) edits.Landing { return edits.Absent }
	if after != before {
		if exact, ok := subset(before, es, after); ok {
			return exact
		}
		judge = likelier(before, proposed, after)
	}
	for i, r := range edits.Regions(before, proposed, es) {
		if out[i] = edits.Landed; r.Was.Of(before) != r.Is.Of(proposed) {
			out[i] = judge(r)
		}
	}
	return out
}

// likelier returns a judge of edits by their regions, for a user who has typed in the
// text without the edits or in the text with them.
func likelier(before, proposed, after string) func(edits.Region) edits.Landing {
	// The user's typing is the difference to one of the two texts; the smaller difference
	// is likelier.
	fromBefore, fromProposed := edits.Diff(before, after), edits.Diff(proposed, after)
	done := hypothesis{proposed, after, edits.NewShifter(edits.EditsOf(fromProposed)), edits.Landed, edits.Absent}
	not := hypothesis{before, after, edits.NewShifter(edits.EditsOf(fromBefore)), edits.Absent, edits.Landed}
	a, b := size(fromProposed), size(fromBefore)
	return func(r edits.Region) edits.Landing {
		was, is := r.Was.Of(before), r.Is.Of(proposed)
		switch {
		case a < b:
			return done.judge(r.Is, was)
		case a > b:
			return not.judge(r.Was, is)
		}
		if l := done.judge(r.Is, was); l == not.judge(r.Was, is) {
			return l
		}
		return edits.Unclear
	}
}

// hypothesis assumes that only the user's typing turned text into after.
type hypothesis struct {
	text, after string
	typed       edits.Shifter
	right       edits.Landing // the landing of an edit for which the hypothesis holds
	wrong       edits.Landing // the landing of an edit for which the other hypothesis holds
}

// judge returns the landing of the edit whose lines are at own in the text of the
// hypothesis. If the hypothesis is wrong, they are other.
func (h hypothesis) judge(own edits.Span, other string) edits.Landing {
	mine := own.Of(h.text)
	there := h.typed.Widened(own).Of(h.after)
	_, untouched := h.typed.Kept(own)
	switch {
	case there == mine:
		return h.right
	case there == other:
		return h.wrong
	case !untouched:
		return edits.Unclear
	case other != "" && strings.Contains(there, other) && !strings.Contains(mine, other):
		return h.wrong
	default:
		return h.right
	}
}

// size returns how many bytes the hunks delete and insert.
func size(hunks []edits.Hunk) int {
	n := 0
	for _, h := range hunks {
		n += len(h.OldText) + len(h.NewText)
	}
	return n
}

// WithMade returns the landings of all edits: sent has those of the edits that were sent,
// and made the indices of the others, which were already in the text (see
// [track.Rebase]).
func WithMade(sent []edits.Landing, made []int) []edits.Landing {
	for _, i := range made {
		sent = slices.Insert(sent, i, edits.Landed)
	}
	return sent
}

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
