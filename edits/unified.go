package edits

import (
	"fmt"
	"slices"
	"strings"
)

// Unified returns the difference of two texts as a unified diff as git writes it, with
// the given number of unchanged lines around each change, or "" if the texts are equal.
// The names go into the header as they are: the caller adds prefixes and passes
// /dev/null. As in git, only "\n" ends a line here, and the bytes inside lines, "\r"
// among them, stay as they are.
func Unified(oldName, newName, base, proposed string, context int) string {
	return UnifiedOf(oldName, newName, base, EditsOf(Diff(base, proposed)), context)
}

// UnifiedOf is like Unified, for a known difference: edits of whole lines of base that
// are valid for Apply.
func UnifiedOf(oldName, newName, base string, es []Edit, context int) string {
	if !slices.ContainsFunc(es, func(e Edit) bool { return e.New != e.Span.Of(base) }) {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "--- %s\n+++ %s\n", oldName, newName)
	writeBlocks(&b, base, es, context)
	return b.String()
}

// UnifiedHunk returns the block of a unified diff, from its "@@" line on, that makes only
// the change h in base.
func UnifiedHunk(h Hunk, base string, context int) string {
	var b strings.Builder
	writeBlocks(&b, base, []Edit{h.Edit()}, context)
	return b.String()
}

// rows is an edit in lines that end with "\n".
type rows struct {
	first, after int // the replaced lines of base, from 0
	removed      []string
	added        []string
}

// writeBlocks writes edits of whole lines of base as blocks of a unified diff:
//
//	@@ -2,2 +2,2 @@
//	 one
//	-two
//	+2
func writeBlocks(b *strings.Builder, base string, es []Edit, context int) {
	lines := splitRows(base)
	shift := 0 // lines added before a block, less those removed
	changes := rowsOf(base, es)
	for len(changes) > 0 {
		n := 1
		for n < len(changes) && changes[n].first-changes[n-1].after <= 2*context {
			n++
		}
		shift += writeBlock(b, lines, changes[:n], context, shift)
		changes = changes[n:]
	}
}

// writeBlock writes one block and returns by how many lines it lengthens the text.
func writeBlock(b *strings.Builder, lines []string, changes []rows, context, shift int) int {
	from := max(changes[0].first-context, 0)
	to := min(changes[len(changes)-1].after+context, len(lines))
	grown := 0
	for _, c := range changes {
		grown += len(c.added) - len(c.removed)
	}
	fmt.Fprintf(b, "@@ -%s +%s @@\n", rowRange(from, to-from), rowRange(from+shift, to-from+grown))
	at := from
	for _, c := range changes {
		writeRows(b, ' ', lines[at:c.first])
		writeRows(b, '-', c.removed)
		writeRows(b, '+', c.added)
		at = c.after
	}
	writeRows(b, ' ', lines[at:to])
	return grown
}

// rowRange returns count lines from line first, counted from 0, as a unified diff
// writes them. If count is 0, it names the line before.
func rowRange(first, count int) string {
	switch count {
	case 0:
		return fmt.Sprintf("%d,0", first)
	case 1:
		return fmt.Sprint(first + 1)
	}
	return fmt.Sprintf("%d,%d", first+1, count)
}

// writeRows writes lines with a mark in front of each.
func writeRows(b *strings.Builder, mark byte, lines []string) {
	for _, line := range lines {
		b.WriteByte(mark)
		b.WriteString(line)
		if !strings.HasSuffix(line, "\n") {
			b.WriteString("\n\\ No newline at end of file\n")
		}
	}
}

// rowsOf returns the edits in lines that end with "\n". Lines may also end with a lone
// "\r", so an edit of whole lines may be less than a row: rowsOf widens it to whole
// rows, together with others in the same rows.
func rowsOf(base string, es []Edit) []rows {
	var out []rows
	row, counted := 0, 0 // number of the row that starts at counted
	for len(es) > 0 {
		start := rowStart(base, es[0].Start)
		row += strings.Count(base[counted:start], "\n")
		counted = start

		added, at, end := "", start, es[0].Start
		for first := true; len(es) > 0 && (first || rowStart(base, es[0].Start) < end); first = false {
			added += base[at:es[0].Start] + es[0].New
			at = es[0].End
			end = rowEnd(base, at, added)
			es = es[1:]
		}
		added += base[at:end]

		c := rows{first: row, removed: splitRows(base[start:end]), added: splitRows(added)}
		c.after = row + len(c.removed)
		out = append(out, c)
	}
	return out
}

// rowStart returns where the row of the offset starts.
func rowStart(base string, offset int) int {
	return strings.LastIndexByte(base[:offset], '\n') + 1
}

// rowEnd returns where the replaced rows of base end, if the new text for base[:at] ends
// with added.
func rowEnd(base string, at int, added string) int {
	atRow := at == 0 || base[at-1] == '\n'
	if atRow && (added == "" || strings.HasSuffix(added, "\n")) {
		return at
	}
	if i := strings.IndexByte(base[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(base)
}

// splitRows returns the lines of text, each with its "\n".
func splitRows(text string) []string {
	rows := strings.SplitAfter(text, "\n")
	if rows[len(rows)-1] == "" {
		rows = rows[:len(rows)-1]
	}
	return rows
}
