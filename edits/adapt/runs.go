package adapt

import (
	"slices"
	"strings"

	"redline/edits/internal/linetext"
	"redline/edits/internal/pair"
)

// WithRuns returns the new text with the runs of spaces of the place where it does not
// change them. was has the lines of the old text, and is the same lines with the runs
// of the place; they differ in nothing else.
func WithRuns(was, is []string, new string) string {
	now := linetext.Split(new)
	of := pair.Lines(linetext.Contents(was), linetext.Contents(now)).Of
	quotes := linetext.QuotesOf(new)
	offset := 0
	var b strings.Builder
	for j, line := range now {
		i := of[j]
		if i >= 0 && was[i] != is[i] {
			keep := func(at int) bool { return !quotes.May(offset + at) }
			b.WriteString(withRuns(linetext.Content(was[i]), linetext.Content(is[i]), linetext.Content(line), keep) + linetext.End(line))
		} else {
			b.WriteString(line)
		}
		offset += len(line)
	}
	return b.String()
}

// withRuns is WithRuns for a line. A run of spaces stays if a word beside it does, too, and
// if keep allows it at its offset.
func withRuns(was, is, now string, keep func(at int) bool) string {
	before, here, after := runs(was), runs(is), runs(now)
	if len(before) != len(here) {
		return now
	}
	of := byWords(before, after)
	stays := func(j, i int) bool { return j >= 0 && j < len(of) && of[j] >= 0 && of[j] == i }
	at := 0
	for j, word := range slices.Clone(after) {
		if i := of[j]; i > 0 && isRun(word) && here[i] != word && (stays(j-1, i-1) || stays(j+1, i+1)) && keep(at) {
			after[j] = here[i]
		}
		at += len(word)
	}
	return strings.Join(after, "")
}

// runs returns a line in words, in which spaces and tabs side by side are one.
func runs(line string) []string {
	var out []string
	for _, word := range linetext.Words(line) {
		if last := len(out) - 1; last >= 0 && isRun(word) && isRun(out[last]) {
			out[last] += word
		} else {
			out = append(out, word)
		}
	}
	return out
}

// isRun reports whether a word is of spaces and tabs.
func isRun(word string) bool { return strings.Trim(word, " \t") == "" }
