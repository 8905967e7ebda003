package apply

import (
	"iter"
	"slices"
	"strings"

	"redline/edits"
)

// explained reports whether nothing in a text without the change looks as if the
// editor had put some of it elsewhere: no new line is there more often than
// before, and, if some of the edits only remove lines, none went.
func (t *attempt) explained(text string) bool {
	more, removes := map[string]int{}, false
	for _, e := range t.edits {
		blank := true
		for line := range contents(e.New) {
			more[line], blank = 0, false
		}
		removes = removes || blank
	}
	count := func(text string, by int) {
		for line := range contents(text) {
			if n, put := more[line]; put {
				more[line] = n + by
			}
		}
	}
	count(text, 1)
	count(t.before, -1)
	for _, n := range more {
		if n > 0 {
			return false
		}
	}
	return !removes || !slices.ContainsFunc(edits.Diff(t.before, text), func(h edits.Hunk) bool { return h.Removed > h.Added })
}

// contents calls yield for the lines of a text that are not blank, without
// their line ends.
func contents(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for line := range strings.Lines(text) {
			line = strings.TrimRight(line, "\r\n")
			if strings.TrimSpace(line) != "" && !yield(line) {
				return
			}
		}
	}
}
