package edits

import (
	"slices"
	"strings"
)

// Landing says what became of an edit that an editor was asked to make.
type Landing uint8

const (
	// Unclear means that the text shows neither: the user has changed it too.
	Unclear Landing = iota
	// Landed means that the edit is in the text.
	Landed
	// Absent means that the text is still as it was before the edit.
	Absent
)

// Landings returns what became of each of the edits es, which an editor was
// asked to make to the text before, going by the text after alone. If that is
// what some of them make of before, exactly, these have landed; where more than
// one choice makes it, the edits in which they differ are Unclear. If it is not,
// the user may have typed before, during and after. The edits must be such that
// Apply takes them; if not, all are Unclear.
func Landings(before string, es []Edit, after string) []Landing {
	out := make([]Landing, len(es))
	proposed, err := Apply(before, es)
	if err != nil {
		return out
	}
	if after == proposed {
		for i := range out {
			out[i] = Landed
		}
		return out
	}
	judge := func(region) Landing { return Absent }
	if after != before {
		if exact, ok := subset(before, es, after); ok {
			return exact
		}
		judge = likelier(before, proposed, after)
	}
	for i, r := range regions(before, proposed, es) {
		if out[i] = Landed; r.was.of(before) != r.is.of(proposed) {
			out[i] = judge(r)
		}
	}
	return out
}

// likelier returns what says of the edits in a region what became of them if
// the user has typed in one of the two texts that they go from and to.
func likelier(before, proposed, after string) func(region) Landing {
	// What the user typed is the difference to one of the two texts, and the
	// smaller of the differences is the likelier.
	fromBefore, fromProposed := Diff(before, after), Diff(proposed, after)
	done := hypothesis{proposed, after, newShifter(EditsOf(fromProposed)), Landed, Absent}
	not := hypothesis{before, after, newShifter(EditsOf(fromBefore)), Absent, Landed}
	a, b := size(fromProposed), size(fromBefore)
	return func(r region) Landing {
		was, is := r.was.of(before), r.is.of(proposed)
		switch {
		case a < b:
			return done.judge(r.is, was)
		case a > b:
			return not.judge(r.was, is)
		}
		if l := done.judge(r.is, was); l == not.judge(r.was, is) {
			return l
		}
		return Unclear
	}
}

// hypothesis is that the text after came from text by the user's typing alone.
type hypothesis struct {
	text, after string
	typed       shifter
	right       Landing // of an edit for which it is so
	wrong       Landing // of an edit for which the other hypothesis is so
}

// judge says what became of the edit whose lines are at own in the text of the
// hypothesis, and would be other if the hypothesis were wrong.
func (h hypothesis) judge(own Span, other string) Landing {
	mine := own.of(h.text)
	there := h.typed.widened(own).of(h.after)
	_, untouched := h.typed.kept(own)
	switch {
	case there == mine:
		return h.right
	case there == other:
		return h.wrong
	case !untouched:
		return Unclear
	case other != "" && strings.Contains(there, other) && !strings.Contains(mine, other):
		return h.wrong
	default:
		return h.right
	}
}

// region is the whole lines that an edit changes, before it and after it.
type region struct{ was, is Span }

// regions returns the region of each edit. Edits in the same lines have the
// same one.
func regions(before, proposed string, es []Edit) []region {
	out := make([]region, len(es))
	first := 0 // of the edits that share their lines with the one before
	for i, e := range Invert(before, es) {
		was, is := es[i].Span, e.Span
		a, b := wholeLines(before, was), wholeLines(proposed, is)
		// What is around the edit is the same in both texts.
		left := max(was.Start-a.Start, is.Start-b.Start)
		right := max(a.End-was.End, b.End-is.End)
		r := region{Span{was.Start - left, was.End + right}, Span{is.Start - left, is.End + right}}
		if i > 0 && r.was.Start < out[i-1].was.End {
			r.was.Start, r.is.Start = out[first].was.Start, out[first].is.Start
		} else {
			first = i
		}
		for k := first; k <= i; k++ {
			out[k] = r
		}
	}
	return out
}

// size returns how many bytes the hunks take away and put in.
func size(hunks []Hunk) int {
	n := 0
	for _, h := range hunks {
		n += len(h.OldText) + len(h.NewText)
	}
	return n
}

// WithMade returns the landings of a list of edits from those of the ones that
// were sent: made are the indices of the others, which were in the text before
// (see Rebase).
func WithMade(sent []Landing, made []int) []Landing {
	for _, i := range made {
		sent = slices.Insert(sent, i, Landed)
	}
	return sent
}
