package edits

import "strings"

// Bounds are bounds, for tests.
type Bounds struct{ Always, Few, Block int }

func (b Bounds) bounds() bounds { return bounds{always: b.Always, few: b.Few, block: b.Block} }

// DiffWithin is Diff within other bounds.
func DiffWithin(base, proposed string, b Bounds) []Hunk {
	return diffWithin(base, proposed, b.bounds())
}

// DiffLinesWithin is DiffLines within other bounds.
func DiffLinesWithin(old, new []string, b Bounds) []LineHunk {
	return diffContents(old, new, b.bounds())
}

// Differences is differences for all of two lists of lines.
func Differences(x, y []string, most int) int {
	return differences(NewLines(strings.Join(x, "")), NewLines(strings.Join(y, "")), LineHunk{0, len(x), 0, len(y)}, most)
}

// Starts returns where the lines start.
func (l *Lines) Starts() []int { return l.starts }

// SplitRows is splitRows.
func SplitRows(text string) []string { return splitRows(text) }
