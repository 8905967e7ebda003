package preview

import (
	"strconv"
	"strings"

	"redline/agent/plan"
	"redline/edits"
	"redline/internal/lazyregexp"
)

// files writes a section for each file, with its unified diff.
func (w *writer) files() {
	if len(w.revision.Changes) == 0 {
		return
	}
	w.line("## Files\n")
	left := maxDiffs
	for i := range w.revision.Changes {
		c := &w.revision.Changes[i]
		added, removed := size(c)
		name := displayPath(c.Path)
		if c.Action == plan.Rename {
			name += arrow + displayPath(c.NewPath)
		}
		program := ""
		if c.MakesProgram() {
			program = programWord
		}
		w.line("### %s (%s%s, +%d −%d)\n", name, c.Action, program, added, removed)
		w.diff(c, &left)
	}
}

// diff writes the diff of a file, unless it is longer than the bytes left.
func (w *writer) diff(c *plan.Change, left *int) {
	base, proposed := w.text(c.Base), w.text(c.Proposed)
	oldName, newName := "a/"+c.Path, "b/"+c.Path
	switch c.Action {
	case plan.Create:
		oldName = "/dev/null"
	case plan.Delete:
		newName = "/dev/null"
	case plan.Rename:
		newName = "b/" + c.NewPath
	}
	// A diff is at least as long as the text that it adds and removes, so a huge one can
	// be left out without making it.
	least := 0
	for _, h := range c.Hunks {
		least += h.Old.Len() + h.New.Len()
	}
	diff := ""
	if least <= *left {
		diff = edits.UnifiedOf(diffName(oldName), diffName(newName), base, c.Edits(proposed), contextLines)
	}
	switch {
	case least > *left || len(diff) > *left:
		w.line("The diff of this file is left out, since all diffs here would be longer than %d MiB;", maxDiffs>>20)
		w.line("`redline plans diff %d` prints it.\n", w.plan.Number)
	case diff != "":
		*left -= len(diff)
		w.fenced("", "diff", nameBlocks(diff, base, c.Hunks))
		w.line("")
	case c.Action == plan.Rename:
		w.line("Its text stays as it is.\n")
	default:
		w.line("The file is empty.\n")
	}
}

var blockForm = lazyregexp.New(`^@@ -([0-9]+)(?:,([0-9]+))? \+[0-9]+(?:,[0-9]+)? @@$`)

// nameBlocks adds, after the "@@" of each block of a unified diff, the ids of its hunks,
// and how their places were found if not exactly. Hunks that are close together share a
// block.
func nameBlocks(diff, base string, hunks []plan.Hunk) string {
	// The line of base, counted from 1, where each hunk begins. Unified diffs count only
	// lines that end with "\n".
	first := make([]int, len(hunks))
	line, counted := 1, 0
	for i, h := range hunks {
		line += strings.Count(base[counted:h.Old.Start], "\n")
		first[i], counted = line, h.Old.Start
	}
	var b strings.Builder
	for row := range strings.Lines(diff) {
		m := blockForm().FindStringSubmatch(strings.TrimSuffix(row, "\n"))
		if m == nil {
			b.WriteString(row)
			continue
		}
		from, _ := strconv.Atoi(m[1])
		count := 1
		if m[2] != "" {
			count, _ = strconv.Atoi(m[2])
		}
		b.WriteString(strings.TrimSuffix(row, "\n"))
		last := from + count
		if count == 0 {
			last++ // a range without lines names the line before it
		}
		for len(hunks) > 0 && first[0] <= last {
			b.WriteString(" " + hunks[0].ID)
			if step := hunks[0].Loosely(); step != "" {
				b.WriteString(" (" + step + ")")
			}
			hunks, first = hunks[1:], first[1:]
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// diffName returns a name for the header of a unified diff: like git, a string literal if
// it would not be one line.
func diffName(name string) string {
	if quoted := strconv.Quote(name); quoted[1:len(quoted)-1] != name {
		return quoted
	}
	return name
}

func size(c *plan.Change) (added, removed int) {
	for _, h := range c.Hunks {
		added += h.Added
		removed += h.Removed
	}
	return added, removed
}
