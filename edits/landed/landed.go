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
