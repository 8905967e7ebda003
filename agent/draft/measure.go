package draft

import (
	"slices"
	"strings"

	"redline/edits"
)

// measure fills in which lines the edits es, which made after of before, have
// touched and how many were added and removed.
func (s *Staged) measure(before, after string, es []edits.Edit) {
	first, last := es[0].Start, es[len(es)-1].End
	// Only whole lines around the edits can differ.
	start := strings.LastIndexByte(before[:first], '\n') + 1
	tail := strings.IndexByte(before[last:], '\n') + 1
	if tail == 0 {
		tail = len(before) - last
	}
	hunks := edits.Diff(before[start:last+tail], after[start:last+tail+len(after)-len(before)])
	for _, h := range hunks {
		s.Added += h.Added
		s.Removed += h.Removed
	}
	if len(hunks) == 0 || after == "" {
		return
	}
	lines := edits.NewLines(after)
	from, to := start+hunks[0].New.Start, start+hunks[len(hunks)-1].New.End
	s.Lines = [2]int{lines.LineOf(from) + 1, lines.LineOf(max(to-1, from)) + 1}
}

// fits refuses a text that is too large.
func fits(path string, size int) error {
	if size > maxText {
		return refuse(path, "would become larger than %d MiB, which is more than a file may have here", maxText>>20)
	}
	return nil
}

// noteEnds says that line ends were converted.
const noteEnds = "Its line ends were made those of the lines around them."

// unique returns the steps without "" and repetitions.
func unique(steps []string) []string {
	var out []string
	for _, s := range steps {
		if s != "" && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// union returns the indices that are in a or b, ascending.
func union(a, b []int) []int {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}
