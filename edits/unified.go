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

// writeBlocks writes edits of whole lines of base as blocks of a unified diff:
//
//	@@ -2,2 +2,2 @@
//	 one
//	-two
//	+2
func writeBlocks(b *strings.Builder, base string, es []Edit, context int) {
	for _, block := range Blocks(base, es, context) {
		old, new := len(block.After), len(block.After)
		for _, c := range block.Changes {
			old += len(c.Before) + len(c.Removed)
			new += len(c.Before) + len(c.Added)
		}
		fmt.Fprintf(b, "@@ -%s +%s @@\n", rowRange(block.Old, old), rowRange(block.New, new))
		for _, c := range block.Changes {
			writeRows(b, ' ', c.Before)
			writeRows(b, '-', c.Removed)
			writeRows(b, '+', c.Added)
		}
		writeRows(b, ' ', block.After)
	}
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
