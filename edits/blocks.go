package edits

import (
	"slices"
	"strings"
)

// Block is a place of a text with changed lines, as a unified diff and a page show it: the changes
// that are close together, and the unchanged lines around them. Only "\n" ends a line of a block.
type Block struct {
	Old, New int // its first line in the text before and after, from 0
	Changes  []BlockChange
	After    []string // the unchanged lines after the last change
}

// BlockChange is one change of a block. Each line has its line end.
type BlockChange struct {
	Edits   int      // how many of the edits it makes: more than one if they are in the same lines
	Before  []string // the unchanged lines since the change before, or since the start of the block
	Removed []string
	Added   []string
}

// Blocks returns the edits of whole lines of base as blocks, with the given number of unchanged
// lines around each. The edits must be valid for [Apply].
func Blocks(base string, es []Edit, context int) []Block {
	lines := splitRows(base)
	shift := 0 // lines added before a block, less those removed
	changes := rowsOf(base, es)
	var out []Block
	for len(changes) > 0 {
		n := 1
		for n < len(changes) && changes[n].first-changes[n-1].after <= 2*context {
			n++
		}
		at := max(changes[0].first-context, 0)
		block := Block{Old: at, New: at + shift}
		for _, c := range changes[:n] {
			block.Changes = append(block.Changes, BlockChange{Edits: c.edits, Before: lines[at:c.first], Removed: c.removed, Added: c.added})
			at = c.after
			shift += len(c.added) - len(c.removed)
		}
		block.After = slices.Clip(lines[at:min(at+context, len(lines))])
		out, changes = append(out, block), changes[n:]
	}
	return out
}

// rows is one or more edits in lines that end with "\n".
type rows struct {
	first, after int // the replaced lines of base, from 0
	edits        int // how many
	removed      []string
	added        []string
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
		n := 0
		for ; len(es) > 0 && (n == 0 || rowStart(base, es[0].Start) < end); n++ {
			added += base[at:es[0].Start] + es[0].New
			at = es[0].End
			end = rowEnd(base, at, added)
			es = es[1:]
		}
		added += base[at:end]

		c := rows{first: row, edits: n, removed: splitRows(base[start:end]), added: splitRows(added)}
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
