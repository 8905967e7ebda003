package preview

import (
	"slices"
	"strings"

	"redline/agent/plan"
	"redline/edits"
	"redline/edits/blame"
	"redline/edits/track"
)

// EditText returns a user's edit of the proposed text of a file of revision r: was is the text that
// the user was shown, text what it is now. was is the file's current text with the undecided hunks
// in it, so it may differ from the revision's texts: by what the user typed in the file, by rejected
// hunks and by stale ones. EditText carries the difference of was and text over to the revision; a
// line of it that the revision has in another form is a problem.
func EditText(p *plan.Plan, r *plan.Revision, path, was, text string, textOf func(plan.Blob) string) (Edit, []Problem) {
	rd := &reader{revision: r, edit: Edit{note: "in " + path, lines: map[string]int{}}}
	text = sameEnds(was, text)
	c, ok := r.Change(path)
	switch {
	case was == text:
		return rd.edit, nil
	case !ok:
		rd.problem(0, "Plan %d does not change %s.", p.Number, path)
	case c.Action == plan.Delete:
		rd.problem(0, "%s is deleted as a whole: reject that to keep it.", path)
	case c.Action == plan.Create && text == "":
		rd.problem(0, "Nothing would be in %s: reject it to leave it out.", path)
	case strings.Contains(text, "\x00"):
		rd.problem(0, "The text of %s has bytes that are not text: remove them.", path)
	}
	if len(rd.problems) > 0 {
		return rd.edit, rd.problems
	}
	e := textEdit{plan: p, revision: r, change: c, base: textOf(c.Base), proposed: textOf(c.Proposed)}
	es := edits.EditsOf(edits.Diff(was, text))
	rest, areas := e.unrejected()
	moved, _, conflicts := track.Rebase(was, es, rest)
	for _, i := range conflicts {
		rd.problem(0, "Line %d of %s is not as plan %d has it: you typed there, or the plan's change of it is rejected or stale. Edit the file itself.", edits.LineOf(was, es[i].Start)+1, path, p.Number)
	}
	next, err := edits.Apply(rest, moved)
	if err != nil {
		rd.problem(0, "What you changed in %s does not fit the plan's text: %s.", path, err)
	}
	if len(rd.problems) > 0 {
		return rd.edit, inOrder(rd.problems)
	}
	f := e.with(areas.Edited(e.base, rest, moved, make([]string, len(moved)), user, next), next)
	if f.Proposed != e.proposed {
		rd.edit.Files = []FileEdit{f}
	}
	return rd.edit, nil
}

// user is the number of the call that stands for the user's own edit.
const user = -1

// textEdit is an edit of the proposed text of a change.
type textEdit struct {
	plan           *plan.Plan
	revision       *plan.Revision
	change         *plan.Change
	base, proposed string
}

func (e *textEdit) rejected(id string) bool {
	return e.plan.Progress.Hunk(id).Status == plan.HunkRejected
}

// unrejected returns the proposed text without the rejected hunks, and its hunks as areas.
func (e *textEdit) unrejected() (text string, areas blame.Areas) {
	text, places := plan.Reference(e.base, e.proposed, e.change.Hunks, func(id string) bool { return !e.rejected(id) })
	for i := range e.change.Hunks {
		if h := &e.change.Hunks[i]; !e.rejected(h.ID) {
			areas = append(areas, blame.Area{Old: h.Old, New: places[i], Source: e.source(h)})
		}
	}
	return text, areas
}

// source returns the source of a hunk of the revision.
func (e *textEdit) source(h *plan.Hunk) blame.Source {
	s := blame.Source{Step: h.Match, ID: h.ID}
	makers := e.change.MakersOf(h)
	for i := range e.revision.Operations {
		if slices.Contains(makers, e.revision.Operations[i].ID) {
			s.Calls = append(s.Calls, i)
		}
	}
	return s
}

// with returns the edit of the file that leads to text, which differs from base in areas, with the
// rejected hunks that the user's own areas do not touch.
func (e *textEdit) with(areas blame.Areas, text string) FileEdit {
	es, sources := areas.Edits(text), areas.Sources()
	f := FileEdit{Path: e.change.Path}
	kept := map[string]bool{}
	for i := range e.change.Hunks {
		h := &e.change.Hunks[i]
		if !e.rejected(h.ID) || slices.ContainsFunc(areas, func(a blame.Area) bool { return a.ID == "" && touch(a.Old, h.Old) }) {
			continue
		}
		at, _ := slices.BinarySearchFunc(es, h.Old, func(x edits.Edit, s edits.Span) int {
			if x.End <= s.Start && x.Span != s {
				return -1
			}
			return 1
		})
		es = slices.Insert(es, at, edits.Edit{Span: h.Old, New: h.New.Of(e.proposed)})
		sources = slices.Insert(sources, at, e.source(h))
	}
	for i := range sources {
		s := &sources[i]
		s.Calls = slices.DeleteFunc(slices.Clone(s.Calls), func(k int) bool { return k == user })
		kept[s.ID] = true
	}
	for i := range e.change.Hunks {
		if id := e.change.Hunks[i].ID; !kept[id] {
			f.Lost = append(f.Lost, id)
		}
	}
	f.Areas = blame.AreasAt(e.base, es, sources)
	f.Proposed, _ = edits.Apply(e.base, es) // they are apart, and in order
	return f
}

// touch reports whether two pieces of a text overlap or are next to each other: together they may
// come to nothing.
func touch(a, b edits.Span) bool { return a.Start <= b.End && b.Start <= a.End }

// sameEnds returns text with the line ends of was in the lines that are otherwise the same: an
// editor writes a file with one kind of line end, and without a byte order mark or with one.
func sameEnds(was, text string) string {
	if bare, marked := edits.CutBOM(text); marked && !strings.HasPrefix(was, edits.BOM) {
		text = bare
	}
	if !strings.Contains(was, "\r") {
		return text
	}
	x, y := rowsOf(was), rowsOf(text)
	bare := func(rows []string) []string {
		out := make([]string, len(rows))
		for i, row := range rows {
			out[i] = row
			if line, ended := strings.CutSuffix(row, "\n"); ended { // the last line may have no end, or get one
				out[i] = strings.TrimSuffix(line, "\r") + "\n"
			}
		}
		return out
	}
	var b strings.Builder
	at := 0
	for _, h := range edits.DiffLines(bare(x), bare(y)) {
		b.WriteString(strings.Join(x[at:h.X0], ""))
		b.WriteString(strings.Join(y[h.Y0:h.Y1], ""))
		at = h.X1
	}
	b.WriteString(strings.Join(x[at:], ""))
	return b.String()
}
