// Package blame tracks which call made which lines of a text: it keeps the areas in which
// a text differs from its base, and the source of each, from call to call.
//
// An area becomes a hunk, the finest thing that a user decides on. So two calls on the
// same lines share an area, two calls on adjacent lines have areas that touch, and a text
// that was written as a whole has the plain difference ([AreasOf]). [Areas.Separate]
// joins areas if one cannot stand without the other.
//
// [Source] says which calls made an area; they become the hunk's operations. In a revised
// plan, it also has the id of the area's earlier hunk, until a call changes something in
// the area. So a hunk keeps its id, and the decisions on it, only while nothing changes
// it: equal lines elsewhere are another hunk.
package blame

import (
	"cmp"
	"slices"
	"strings"

	"redline/edits"
)

// Area is a piece of a text that differs from base: Old is its place in base, New its
// place in the text now. Both are whole lines.
type Area struct {
	Old, New edits.Span
	Source
}

// Source is where an area comes from.
type Source struct {
	Step  string // the matching step of the latest edit in it, or of its last lines if Separate joined areas
	ID    string // the given name, until a call changes something in the area; "" for none
	Calls []int  // the numbers of the calls that made it, ascending; for a joined area, of all its parts
}

// with returns the source of two joined areas, with the matching step step. It has no
// name, since the area is neither of the two.
func (s Source) with(t Source, step string) Source {
	calls := slices.Concat(s.Calls, t.Calls)
	slices.Sort(calls)
	return Source{Step: step, Calls: slices.Compact(calls)}
}

// Areas are the pieces in which base and a text differ: in order, not overlapping, with
// the same bytes between them in both texts. They may touch: the changes of several calls
// on adjacent lines stay several areas, so that the user can decide on each.
type Areas []Area

// AreasOf returns the hunks of one difference as areas.
func AreasOf(hunks []edits.Hunk, source Source) Areas {
	as := make(Areas, len(hunks))
	for i, h := range hunks {
		as[i] = Area{h.Old, h.New, source}
	}
	return as
}

// AreasAt returns one area for each of es, edits of whole lines of base, with its source.
func AreasAt(base string, es []edits.Edit, sources []Source) Areas {
	as := make(Areas, len(es))
	for i, e := range edits.Invert(base, es) {
		as[i] = Area{es[i].Span, e.Span, sources[i]}
	}
	return as
}

// Edits returns the areas as edits of base, valid for Apply. text is the other text.
func (as Areas) Edits(text string) []edits.Edit {
	es := make([]edits.Edit, len(as))
	for i, a := range as {
		es[i] = edits.Edit{Span: a.Old, New: a.New.Of(text)}
	}
	return es
}

// Sources returns the source of each area.
func (as Areas) Sources() []Source {
	out := make([]Source, len(as))
	for i, a := range as {
		out[i] = a.Source
	}
	return out
}

// Edited returns the areas after one more call, whose edits es turned text into next. The
// edits must be valid for Apply; steps has the matching step of each, and call is the
// number of the call. A change in the lines of areas is joined with them and compared
// with base again. Any other change is an area of its own, even if it touches another
// one. An area that the call does not change keeps its source.
func (as Areas) Edited(base, text string, es []edits.Edit, steps []string, call int, next string) Areas {
	var out Areas
	toBase, toNext := 0, 0 // what to add to an offset of text after the areas done
	news := changed(text, es, steps, call, next)
	for len(news) > 0 {
		if len(as) > 0 && as[0].New.End <= news[0].Old.Start && !meet(as[0].New, news[0].Old) {
			toBase = as[0].Old.End - as[0].New.End
			out, as = append(out, as[0].moved(toNext)), as[1:]
			continue
		}
		n := news[0] // the latest one done
		start := n.Old.Start
		if len(as) > 0 && meet(as[0].New, n.Old) {
			start = min(start, as[0].New.Start)
		}
		joint := Area{Old: edits.Span{Start: start + toBase}, New: edits.Span{Start: start + toNext}, Source: n.Source}
		end, joined := n.Old.End, edits.Span{Start: -1, End: -1} // the latest area that is part of it
		news, toNext = news[1:], n.New.End-n.Old.End
		for {
			if len(as) > 0 && meet(as[0].New, n.Old) {
				joined, toBase = as[0].New, as[0].Old.End-as[0].New.End
				joint.Source = joint.with(as[0].Source, joint.Step)
				end, as = max(end, joined.End), as[1:]
			} else if len(news) > 0 && meet(joined, news[0].Old) {
				n, news = news[0], news[1:]
				end, toNext, joint.Step = max(end, n.Old.End), n.New.End-n.Old.End, n.Step
			} else {
				break
			}
		}
		joint.Old.End, joint.New.End = end+toBase, end+toNext
		if joined.Start < 0 {
			out = append(out, joint)
		} else {
			out = append(out, joint.compared(base, next)...)
		}
	}
	for _, a := range as {
		out = append(out, a.moved(toNext))
	}
	return out
}

// changed returns the whole lines in which text and next, the text after es, differ. Old
// is in text, New in next. Changes of one call in adjacent lines are one piece.
func changed(text string, es []edits.Edit, steps []string, call int, next string) Areas {
	var out Areas
	all := edits.Regions(text, next, es)
	for i := 0; i < len(all); {
		was, is, step := all[i].Was, all[i].Is, steps[i]
		for i++; i < len(all) && all[i].Was.Start <= was.End; i++ {
			was.End, is.End, step = max(was.End, all[i].Was.End), max(is.End, all[i].Is.End), steps[i]
		}
		out = append(out, Area{was, is, Source{Step: step, Calls: []int{call}}}.compared(text, next)...)
	}
	return out
}

// meet reports whether two pieces of a text overlap. Two empty pieces at the same place
// do; an empty piece at the end of another one does not.
func meet(a, b edits.Span) bool {
	return a.Start < b.End && b.Start < a.End || a == b
}

// moved returns the area after n bytes were inserted before it in the text.
func (a Area) moved(n int) Area {
	a.New = a.New.Moved(n)
	return a
}

// compared returns the parts of the area that really differ.
func (a Area) compared(base, text string) Areas {
	as := AreasOf(edits.Diff(a.Old.Of(base), a.New.Of(text)), a.Source)
	for i := range as {
		as[i].Old, as[i].New = as[i].Old.Moved(a.Old.Start), as[i].New.Moved(a.New.Start)
	}
	return as
}

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
