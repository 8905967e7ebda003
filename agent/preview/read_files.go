package preview

import (
	"slices"
	"strings"

	"redline/agent/plan"
	"redline/edits"
	"redline/edits/blame"
)

// files reads the diffs of the files.
func (r *reader) files() {
	changes := r.revision.Changes
	if len(r.was.sections) != len(changes) {
		r.problem(0, "The diffs of this preview cannot be read back.")
		return
	}
	found := make([]bool, len(changes))
	for k := range r.now.sections {
		s := &r.now.sections[k]
		i := slices.IndexFunc(r.was.sections, func(was section) bool { return was.file != "" && was.file == s.file })
		switch {
		case i < 0:
			r.problem(s.line, "This plan has no such file: undo the change of this line, or ask for another file with /rework.")
		case found[i]:
			r.problem(s.line, "This file is here twice: remove one of the two.")
		default:
			found[i] = true
			r.edit.lines[changes[i].Path] = s.line
			if s.program != r.was.sections[i].program && (s.program || r.now.programs) {
				r.problem(s.line, "Whether a new file is executable cannot be changed here: undo the change of this line, and ask for it with /rework.")
			}
			r.file(&changes[i], s, r.was.sections[i].fence)
		}
	}
	for i := range changes {
		if !found[i] {
			r.problem(0, "%s is not in the preview any more: put its part back, and untick its operations to leave it out.", changes[i].Path)
		}
	}
}

// file reads the diff of one file.
func (r *reader) file(c *plan.Change, s *section, was *codeBlock) {
	switch {
	case was == nil && s.fence == nil:
		return
	case was == nil:
		r.problem(s.fence.line, "No diff of this file is shown, so none can be put here: ask for the change with /rework.")
		return
	case s.fence == nil:
		r.problem(s.line, "The diff of this file is gone: put it back, and untick its operations to leave the file out.")
		return
	}
	old, now := r.was.within(was), r.now.within(s.fence)
	if slices.EqualFunc(old, now, func(a, b string) bool { return r.norm(a) == r.norm(b) }) {
		return
	}
	if c.Action == plan.Delete {
		r.problem(s.fence.first+differs(old, now), "This file is deleted as a whole: untick the operation to keep it.")
		return
	}
	d := &diffReader{reader: r, change: c, base: r.text(c.Base), proposed: r.text(c.Proposed)}
	d.rows = rowsOf(d.base)
	d.offsets = offsetsOf(d.rows)
	for _, raw := range d.rows {
		d.seen = append(d.seen, r.see(raw))
	}
	d.header = d.headerOf(old)
	d.shown = d.blocks(old, 0)
	n := len(r.problems)
	blocks := d.blocks(now, s.fence.first)
	if len(r.problems) > n {
		return
	}
	d.place(blocks, s.fence.line)
	if len(r.problems) == n {
		d.read(blocks, s)
	}
}

// differs returns the first line in which two texts differ.
func differs(old, now []string) int {
	i := 0
	for i < len(old) && i < len(now) && old[i] == now[i] {
		i++
	}
	return min(i, max(len(now)-1, 0))
}

// diffReader reads the diff of one file. Its rows are those of the base text, which end
// with "\n"; a preview shows them without their line ends, and with invisible characters
// written out.
type diffReader struct {
	*reader
	change         *plan.Change
	base, proposed string
	rows, seen     []string // the rows of base: the bytes, and their form on the page
	offsets        []int    // offset of each row, and of the end
	header         []string // the lines of the rendering before the first block
	shown          []block  // the blocks of the rendering
}

// block is one block of a diff, from its "@@" line on.
type block struct {
	line int // line of the page
	at   int // the row of base in the "@@" line, from 0; -1 for none
	new  int // the row of the proposed text in the "@@" line
	rows []diffRow
	old  int // how many of its rows are in base
}

// diffRow is one line of a block.
type diffRow struct {
	line int
	sign byte // ' ', '+' or '-'
	text string
	open bool // it is marked as having no line end
	mark int  // the line of that mark
}

// read makes the edit of the file from its placed blocks.
func (d *diffReader) read(blocks []block, s *section) {
	n := len(d.problems)
	groups := d.groups(blocks, true)
	if len(d.problems) > n {
		return
	}
	es, sources, kept := d.edits(groups)
	proposed, err := edits.Apply(d.base, es)
	switch {
	case err != nil:
		d.problem(s.fence.line, "This diff cannot be read: %s.", err)
		return
	case len(d.problems) > n || proposed == d.proposed:
		return
	case d.change.Action == plan.Create && proposed == "":
		d.problem(s.line, "Nothing would be in this file: untick its operations to leave it out.")
		return
	}
	f := FileEdit{Path: d.change.Path, Proposed: proposed, Areas: blame.AreasAt(d.base, es, sources)}
	for i := range d.change.Hunks {
		id := d.change.Hunks[i].ID
		d.edit.lines[id] = s.line
		if !kept[id] {
			f.Lost = append(f.Lost, id)
		}
	}
	for _, g := range groups {
		for _, h := range d.hunksIn(g) {
			d.edit.lines[d.change.Hunks[h.index].ID] = g.line
		}
	}
	d.edit.Files = append(d.edit.Files, f)
}

// offsetsOf returns the offset of each row, and of the end.
func offsetsOf(rows []string) []int {
	offsets := make([]int, 1, len(rows)+1)
	for _, row := range rows {
		offsets = append(offsets, offsets[len(offsets)-1]+len(row))
	}
	return offsets
}

// joined returns the text of rows as shown.
func joined(rows []string) string {
	if len(rows) == 0 {
		return ""
	}
	return strings.Join(rows, "\n") + "\n"
}
