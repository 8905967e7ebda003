package intraline

import (
	"znkr.io/diff"

	"redline/edits"
	"redline/edits/internal/linetext"
	"redline/edits/internal/pair"
)

// Kind says what a change does to the lines of a row.
type Kind string

const (
	Same    Kind = "same"
	Edited  Kind = "edited" // one line with other words, or with another line end
	Removed Kind = "removed"
	Added   Kind = "added"
)

// Row is a line of the old text, a line of the new one, or one of each.
type Row struct {
	Kind     Kind
	Old, New int      // the numbers of the lines, from 0; -1 if the row has none
	Changes  []Change // of an edited row: what differs, in order
}

// Change is a part of a line that another part replaces, as bytes from the start of each line.
// One of them may be empty. Between the changes of a row both lines are equal.
type Change struct{ Old, New edits.Span }

const (
	// maxAligned is how many lines both texts may have together to be searched for lines that stay.
	maxAligned = 1 << 11
	// maxPairs is how many pairs of lines are compared by their words to find the best ones. Of
	// more lines, the pairs that begin and end alike are compared, or those in the same places.
	maxPairs = 1 << 10
)

// Rows returns what the change from one text to another does, line by line: each line of both
// texts is in one row, in the order of both. Removed lines come before added ones. An old and a
// new line are one row if most of the old one stays, or a third if they are in the same place. The time is linear in the length of texts
// beyond some size.
func Rows(old, new string) []Row {
	x, y := linetext.Split(old), linetext.Split(new)
	rows := make([]Row, 0, max(len(x), len(y)))
	i, j := 0, 0
	for _, h := range aligned(x, y) {
		rows = appendSame(rows, i, j, h.X0-i)
		rows = appendChanged(rows, x, y, h)
		i, j = h.X1, h.Y1
	}
	return appendSame(rows, i, j, len(x)-i)
}

// aligned returns where two lists of lines differ.
func aligned(x, y []string) []edits.LineHunk {
	if len(x)+len(y) > maxAligned {
		return []edits.LineHunk{{X1: len(x), Y1: len(y)}}
	}
	var out []edits.LineHunk
	for _, h := range diff.Hunks(x, y, diff.Context(0)) {
		out = append(out, edits.LineHunk{X0: h.PosX, X1: h.EndX, Y0: h.PosY, Y1: h.EndY})
	}
	return out
}

func appendSame(rows []Row, i, j, n int) []Row {
	for k := range n {
		rows = append(rows, Row{Kind: Same, Old: i + k, New: j + k})
	}
	return rows
}

// appendChanged adds the rows of lines that others replace.
func appendChanged(rows []Row, x, y []string, h edits.LineHunk) []Row {
	i, j := h.X0, h.Y0
	until := func(p, q int) {
		for ; i < p; i++ {
			rows = append(rows, Row{Kind: Removed, Old: i, New: -1})
		}
		for ; j < q; j++ {
			rows = append(rows, Row{Kind: Added, Old: -1, New: j})
		}
	}
	alike(linetext.Contents(x[h.X0:h.X1]), linetext.Contents(y[h.Y0:h.Y1]), func(p, q int, changes []Change) {
		until(h.X0+p, h.Y0+q)
		row := Row{Kind: Edited, Old: i, New: j, Changes: changes}
		if x[i] == y[j] {
			row.Kind = Same
		}
		rows, i, j = append(rows, row), i+1, j+1
	})
	until(h.X1, h.Y1)
	return rows
}

// alike yields the lines of old that have become lines of new, in order, with what differs.
func alike(old, new []string, yield func(i, j int, changes []Change)) {
	if len(old)*len(new) <= maxPairs {
		names := map[string]int32{}
		x, y := wordingsOf(old, names), wordingsOf(new, names)
		if wordsIn(x)*wordsIn(y) <= maxWords {
			mostAlike(x, y, len(names), func(i, j int) {
				changes, _ := compare(x[i], y[j])
				yield(i, j, changes)
			})
			return
		}
	}
	names := map[string]int32{}
	pair.Changed(old, new, func(i, j int) {
		clear(names)
		x, y := wordingOf(old[i], names), wordingOf(new[j], names)
		if len(x.words)*len(y.words) > maxWords {
			return
		}
		if changes, same := compare(x, y); likeness(x, y, same, true) > 0 {
			yield(i, j, changes)
		}
	})
}
