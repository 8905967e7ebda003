package placeholder

import (
	"slices"
	"strings"
	"unicode"

	"redline/edits"
)

// difference says of each line of a new text how it came there.
type difference struct {
	added    []bool // it is none of the old lines
	replaces []bool // besides, where it is lines were taken away
}

// compare returns the difference of two texts in lines. Pieces of it with no
// word between them are one.
func compare(old, lines []string) *difference {
	d := &difference{make([]bool, len(lines)), make([]bool, len(lines))}
	text := joined(lines)
	at, line := 0, 0 // a place in text, and its line
	lineOf := func(offset int) int {
		line += strings.Count(text[at:offset], "\n")
		at = offset
		return line
	}
	var run []int // the lines that the pieces since the last word have added
	removed, end := false, 0
	flush := func() {
		for _, i := range run {
			d.replaces[i] = removed
		}
		run, removed = nil, false
	}
	for _, h := range edits.Diff(joined(old), text) {
		from, to := lineOf(h.New.Start), lineOf(h.New.End)
		if slices.ContainsFunc(lines[end:from], hasWord) {
			flush()
		}
		for i := from; i < to; i++ {
			d.added[i] = true
			run = append(run, i)
		}
		removed = removed || strings.TrimSpace(h.OldText) != ""
		end = to
	}
	flush()
	return d
}

// joined returns lines as a text in which each has a line end.
func joined(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return strings.Join(lines, "\n") + "\n"
}

// hasWord tells whether there is a letter or a digit in a line.
func hasWord(line string) bool {
	return strings.ContainsFunc(line, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}
