package adapt

import (
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"redline/edits/internal/linetext"
)

// deviation is how all lines of a place differ from the old text. New lines get the same
// difference.
type deviation struct {
	shift
	mixes bool              // a line of the place is indented with both tabs and spaces
	looks map[string]string // maps characters of the old text to the ASCII ones in the place
}

// looksOf returns the look-alikes of the old lines that always stand for the same ASCII
// character in the lines of the place.
func looksOf(there, old []string) map[string]string {
	looks := map[string]string{}
	for i := range old {
		here, before := linetext.Words(linetext.PartsOf(there[i]).Body), linetext.Words(linetext.PartsOf(old[i]).Body)
		for k := range min(len(here), len(before)) {
			if _, size, width := linetext.PlainRune(before[k]); width < size {
				if was, ok := looks[before[k]]; ok && was != here[k] || here[k][0] >= utf8.RuneSelf {
					looks[before[k]] = "" // it stands for different characters
				} else {
					looks[before[k]] = here[k]
				}
			}
		}
	}
	maps.DeleteFunc(looks, func(_, here string) bool { return here == "" })
	return looks
}

// seen returns s with the author's look-alikes replaced by the characters of the place.
func (d deviation) seen(s string) string {
	if len(d.looks) == 0 {
		return s
	}
	pieces := linetext.Words(s)
	for i, p := range pieces {
		if here, ok := d.looks[p]; ok {
			pieces[i] = here
		}
	}
	return strings.Join(pieces, "")
}

// mergeWords applies the difference between was and now to is, a text that differs from
// was in look-alikes. Words that stay keep the bytes of is. why is not "" if the result
// is unclear.
func (d deviation) mergeWords(is, was, now string) (line, why string) {
	here, before, after := linetext.Words(is), linetext.Words(was), linetext.Words(now)
	if len(here) != len(before) {
		return now, ""
	}
	seen := make([]string, len(after))
	for j, word := range after {
		if seen[j] = word; d.looks[word] != "" {
			seen[j] = d.looks[word]
		}
	}
	var best *lookalikeMerge
	for _, align := range []func(old, new []string) []int{byWords, byChunks, byWordsBackwards} {
		of := align(before, after)
		alike := newLookalikeMerge(here, before, after, seen, slices.Clone(of))
		if best == nil || alike.better(best) {
			best = alike
		}
		if best.unclear < 0 && slices.Equal(best.of, of) {
			break // keep the words that are the same
		}
	}
	return best.String(), best.why()
}
