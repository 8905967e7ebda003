package placeholder

import (
	"slices"
	"strings"
	"unicode"

	"redline/edits"
)

// difference holds the origin of each line of a new text.
type difference struct {
	lines []string // the new text
	of    []*run   // the run of each line, nil for an old line
}

// run is one place where texts differ: lines with no unchanged word between them.
type run struct {
	removed bool  // lines were removed
	code    int   // how many of them are neither blank nor a comment
	remarks int   // how many are comments
	added   []int // the new lines
}

// replaces reports whether line i was added where lines were removed.
func (d *difference) replaces(i int) bool { return d.of[i] != nil && d.of[i].removed }

// compare returns the difference of two texts in lines.
func compare(old, lines []string) *difference {
	d := &difference{lines, make([]*run, len(lines))}
	text := joined(lines)
	at, line := 0, 0 // a place in text, and its line
	lineOf := func(offset int) int {
		line += strings.Count(text[at:offset], "\n")
		at = offset
		return line
	}
	r, end := &run{}, 0
	for _, h := range edits.Diff(joined(old), text) {
		from, to := lineOf(h.New.Start), lineOf(h.New.End)
		if slices.ContainsFunc(lines[end:from], hasWord) {
			r = &run{}
		}
		for i := from; i < to; i++ {
			d.of[i] = r
			r.added = append(r.added, i)
		}
		r.take(h.OldText)
		end = to
	}
	return d
}

// take counts removed lines.
func (r *run) take(text string) {
	for line := range strings.Lines(text) {
		switch {
		case strings.TrimSpace(line) == "":
			continue
		case isRemark(line):
			r.remarks++
		case hasWord(line):
			r.code++
		}
		r.removed = true
	}
}

// joined returns lines as a text in which each has a line end.
func joined(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return strings.Join(lines, "\n") + "\n"
}

// hasWord reports whether a line has a letter or a digit.
func hasWord(line string) bool {
	return strings.ContainsFunc(line, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}
