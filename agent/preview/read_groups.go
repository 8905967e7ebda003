package preview

import (
	"slices"
	"sort"
	"strings"

	"redline/agent/plan"
	"redline/edits"
	"redline/edits/blame"
)

// group has the rows of base from first up to after, and the lines in their place. Touching
// changes form one group.
type group struct {
	line         int // of the page
	first, after int
	added        []diffRow
	numbers      []int // of the rendering: the rows of the proposed text in added
}

// groups returns the changes of the blocks. A line marked as having no line end must be the last
// one.
func (d *diffReader) groups(blocks []block, check bool) []group {
	var out []group
	for _, b := range blocks {
		at, number := b.at, b.new
		for _, row := range b.rows {
			if row.sign != ' ' {
				if n := len(out); n == 0 || out[n-1].after < at {
					out = append(out, group{line: row.line, first: at, after: at})
				}
			}
			switch row.sign {
			case ' ':
				if check && row.open && d.rows[at] != "" && endOf(d.rows[at]) != "" {
					d.problem(row.mark, "The line above has a line end in the file: to take it away, write the line once with - and once with +, and this line below that.")
				}
				at, number = at+1, number+1
			case '-':
				at++
				out[len(out)-1].after = at
			case '+':
				g := &out[len(out)-1]
				g.added, g.numbers = append(g.added, row), append(g.numbers, number)
				number++
			}
		}
	}
	for _, g := range out {
		for i, row := range g.added {
			if check && row.open && (i < len(g.added)-1 || g.after < len(d.rows)) {
				d.problem(row.mark, "Only the last line of a file can be without a line end: put this below it, or remove it.")
			}
		}
	}
	return out
}

// shownHunk is a hunk of the change, in rows.
type shownHunk struct {
	index        int
	first, after int      // rows of base
	new          []string // rows of the proposed text
}

// hunksIn returns the hunks that lie within a group and consist of whole rows.
func (d *diffReader) hunksIn(g group) []shownHunk {
	var out []shownHunk
	from, to := d.offsets[g.first], d.offsets[g.after]
	for i := d.hunkAt(from); i < len(d.change.Hunks); i++ {
		h := &d.change.Hunks[i]
		if h.Old.End > to {
			break
		}
		if h.Old.Start < from {
			continue
		}
		first, ok1 := slices.BinarySearch(d.offsets, h.Old.Start)
		after, ok2 := slices.BinarySearch(d.offsets, h.Old.End)
		if ok1 && ok2 && isRow(d.proposed, h.New.Start) && isRow(d.proposed, h.New.End) {
			out = append(out, shownHunk{i, first, after, rowsOf(d.proposed[h.New.Start:h.New.End])})
		}
	}
	return out
}

// hunkAt returns the first hunk that does not end before an offset of base.
func (d *diffReader) hunkAt(offset int) int {
	return sort.Search(len(d.change.Hunks), func(i int) bool { return d.change.Hunks[i].Old.End >= offset })
}

// isRow reports whether a row begins or ends at the offset.
func isRow(text string, offset int) bool {
	return offset == 0 || offset == len(text) || text[offset-1] == '\n'
}

// same reports whether lines of the page are the given rows.
func (d *diffReader) same(added []diffRow, rows []string) bool {
	return slices.EqualFunc(added, rows, func(a diffRow, raw string) bool {
		return a.text == d.see(raw) && a.open == (endOf(raw) == "")
	})
}

// edits returns the groups as edits of base, in order, the source of each, and the unchanged
// hunks.
func (d *diffReader) edits(groups []group) (es []edits.Edit, sources []blame.Source, kept map[string]bool) {
	was := d.groups(d.shown, false)
	rows := rowsOf(d.proposed)
	kept = map[string]bool{}
	var added []string // all added lines, since lines may move from one group to another
	for _, g := range was {
		for _, n := range g.numbers {
			added = append(added, rows[n])
		}
	}
	keep := func(h *plan.Hunk) {
		kept[h.ID] = true
		es = append(es, edits.Edit{Span: h.Old, New: d.proposed[h.New.Start:h.New.End]})
		sources = append(sources, blame.Source{ID: h.ID, Step: h.Match, Calls: d.makers(h)})
	}
	for _, g := range groups {
		old := d.wasIn(was, g, rows)
		if old.whole && d.same(g.added, old.added) {
			from, to := d.offsets[g.first], d.offsets[g.after]
			for i := d.hunkAt(from); i < len(d.change.Hunks) && d.change.Hunks[i].Old.End <= to; i++ {
				if h := &d.change.Hunks[i]; from <= h.Old.Start {
					keep(h)
				}
			}
			continue
		}
		hunks := d.hunksIn(g)
		left := g
		for len(hunks) > 0 { // unchanged ones at the start
			h := hunks[0]
			if h.first != left.first || h.after > left.after || len(h.new) > len(left.added) || !d.same(left.added[:len(h.new)], h.new) {
				break
			}
			keep(&d.change.Hunks[h.index])
			left.first, left.added, hunks = h.after, left.added[len(h.new):], hunks[1:]
		}
		var behind []shownHunk
		for len(hunks) > 0 { // and at the end
			h, n := hunks[len(hunks)-1], 0
			if n = len(left.added) - len(h.new); h.after != left.after || h.first < left.first || n < 0 || !d.same(left.added[n:], h.new) {
				break
			}
			behind, hunks = append(behind, h), hunks[:len(hunks)-1]
			left.after, left.added = h.first, left.added[:n]
		}
		for _, e := range d.changed(left, g, old.added, added) {
			es = append(es, e)
			sources = append(sources, blame.Source{Calls: d.lostIn(e.Span, kept, behind)})
		}
		for _, h := range slices.Backward(behind) {
			keep(&d.change.Hunks[h.index])
		}
	}
	return es, sources, kept
}

// oldGroup is what was rendered in the place of a group.
type oldGroup struct {
	whole bool // it was one group of the same rows of base
	added []string
}

// wasIn returns what was rendered in the rows of a group. rows has the rows of the
// proposed text.
func (d *diffReader) wasIn(was []group, g group, rows []string) oldGroup {
	var old oldGroup
	i := sort.Search(len(was), func(i int) bool { return was[i].after >= g.first })
	n := 0
	for ; i < len(was) && was[i].first <= g.after; i++ {
		n++
		old.whole = n == 1 && was[i].first == g.first && was[i].after == g.after
		for _, k := range was[i].numbers {
			old.added = append(old.added, rows[k])
		}
	}
	return old
}

// changed returns the edits for a group that the user has changed; left is the part of it
// without unchanged hunks.
func (d *diffReader) changed(left, g group, was, others []string) []edits.Edit {
	if left.first == left.after && len(left.added) == 0 {
		return nil
	}
	end := "\n"
	for _, i := range []int{left.first - 1, left.first, 0} {
		if i >= 0 && i < len(d.rows) && endOf(d.rows[i]) != "" {
			end = endOf(d.rows[i])
			break
		}
	}
	lines := make([]shown, len(left.added))
	for i, row := range left.added {
		lines[i] = shown{row.line, row.text, row.open}
	}
	others = append(slices.Clip(others), d.rows[left.first:left.after]...)
	rows, problems := d.restore(lines, was, others, end)
	d.problems = append(d.problems, problems...)
	if n := len(d.rows); n > 0 && left.first == n && left.first == g.first && endOf(d.rows[n-1]) == "" && len(rows) > 0 {
		left.first-- // the last line of base gets a line end
		rows = append([]string{d.rows[n-1] + end}, rows...)
	}
	from := d.offsets[left.first]
	var es []edits.Edit
	for _, h := range edits.Diff(d.base[from:d.offsets[left.after]], strings.Join(rows, "")) {
		es = append(es, edits.Edit{Span: edits.Span{Start: from + h.Old.Start, End: from + h.Old.End}, New: h.NewText})
	}
	return es
}

// makers returns the operations that made a hunk, as indices in the revision.
func (d *diffReader) makers(h *plan.Hunk) []int {
	var out []int
	for _, id := range d.change.MakersOf(h) {
		i := slices.IndexFunc(d.revision.Operations, func(o plan.Operation) bool { return o.ID == id })
		if i >= 0 {
			out = append(out, i)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// lostIn returns the operations that made the hunks that an edit replaces.
func (d *diffReader) lostIn(s edits.Span, kept map[string]bool, behind []shownHunk) []int {
	var out []int
	for i := d.hunkAt(s.Start); i < len(d.change.Hunks) && d.change.Hunks[i].Old.Start <= s.End; i++ {
		h := &d.change.Hunks[i]
		stays := kept[h.ID] || slices.ContainsFunc(behind, func(b shownHunk) bool { return b.index == i })
		if !stays {
			out = append(out, d.makers(h)...)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
