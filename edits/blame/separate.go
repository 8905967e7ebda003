package blame

import (
	"cmp"
	"strings"

	"redline/edits"
)

// Separate returns the areas as pieces that can be decided on one by one: any of them can
// be left out, in any order, and every line of the result is a line of base or of text.
// It joins touching areas for which that does not hold, and two that only insert at the
// same place. If one area undoes another, it drops both.
func (as Areas) Separate(base, text string) Areas {
	var out Areas
	var before []ends // before each of out
	for i, a := range as {
		start := endsOf(base[:a.Old.Start])
		if n := len(out); n > 0 && out[n-1].Old.End == a.Old.Start {
			start = before[n-1].after(out[n-1], base, text)
		}
		end := len(base) // start of the lines that always follow
		if i+1 < len(as) {
			end = as[i+1].Old.Start
		}
		for len(out) > 0 && out[len(out)-1].Old.End == a.Old.Start {
			last := out[len(out)-1]
			apart := start.before(a.Old.Of(base)) && start.before(a.New.Of(text)) &&
				start.after(a, base, text).before(base[a.Old.End:end])
			both := Area{edits.Span{Start: last.Old.Start, End: a.Old.End}, edits.Span{Start: last.New.Start, End: a.New.End}, last.with(a.Source, cmp.Or(a.Step, last.Step))}
			if apart && (a.Old.Len() > 0 || last.Old.Len() > 0) && !both.same(base, text) {
				break
			}
			a = both
			start = before[len(before)-1]
			out, before = out[:len(out)-1], before[:len(before)-1]
		}
		if !a.same(base, text) {
			out, before = append(out, a), append(before, start)
		}
	}
	return out
}

// same reports whether the area is the same in both texts.
func (a Area) same(base, text string) bool { return a.Old.Of(base) == a.New.Of(text) }

// ends are the ways in which a text can end, one bit each, since that may depend on a
// decision.
type ends uint8

const (
	complete ends = 1 << iota // with a line end, or there is no text
	carriage                  // with "\r", which a "\n" would become part of
	open                      // within a line
)

// endsOf returns how text ends.
func endsOf(text string) ends {
	switch {
	case text == "" || strings.HasSuffix(text, "\n"):
		return complete
	case strings.HasSuffix(text, "\r"):
		return carriage
	}
	return open
}

// before reports whether text can follow, whatever is decided: that is, whether it begins
// on a line of its own.
func (e ends) before(text string) bool {
	return text == "" || e&open == 0 && (e&carriage == 0 || text[0] != '\n')
}

// after returns the ends after the area, if those before it are e.
func (e ends) after(a Area, base, text string) ends {
	out := ends(0)
	for _, piece := range []string{a.Old.Of(base), a.New.Of(text)} {
		if piece == "" {
			out |= e
		} else {
			out |= endsOf(piece)
		}
	}
	return out
}
