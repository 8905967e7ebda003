package edits

// Region is the whole lines that an edit changes, before and after it.
type Region struct{ Was, Is Span }

// Regions returns the region of each edit. Edits in the same lines share one.
func Regions(before, proposed string, es []Edit) []Region {
	out := make([]Region, len(es))
	first := 0 // index of the first edit in the same lines
	for i, e := range Invert(before, es) {
		was, is := es[i].Span, e.Span
		a, b := WholeLines(before, was), WholeLines(proposed, is)
		// The text around the edit is the same in both texts.
		left := max(was.Start-a.Start, is.Start-b.Start)
		right := max(a.End-was.End, b.End-is.End)
		r := Region{Span{was.Start - left, was.End + right}, Span{is.Start - left, is.End + right}}
		if i > 0 && r.Was.Start < out[i-1].Was.End {
			r.Was.Start, r.Is.Start = out[first].Was.Start, out[first].Is.Start
		} else {
			first = i
		}
		for k := first; k <= i; k++ {
			out[k] = r
		}
	}
	return out
}
