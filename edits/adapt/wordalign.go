package adapt

import (
	"slices"
	"strings"

	"znkr.io/diff"
)

// maxExactWords is how many words two lines may have together for an exact comparison.
const maxExactWords = 1 << 14

// byWords pairs as many words as possible. It returns, for each new word, the index of
// its old word, or -1.
func byWords(old, new []string) []int {
	var options []diff.Option
	if len(old)+len(new) > maxExactWords {
		options = append(options, diff.Fast())
	}
	of := make([]int, 0, len(new))
	for _, e := range diff.Edits(old, new, options...) {
		switch e.Op {
		case diff.Match:
			of = append(of, e.PosX)
		case diff.Insert:
			of = append(of, -1)
		}
	}
	return of
}

// byWordsBackwards is byWords from the end of the line.
func byWordsBackwards(old, new []string) []int {
	old, new = slices.Clone(old), slices.Clone(new)
	slices.Reverse(old)
	slices.Reverse(new)
	of := byWords(old, new)
	slices.Reverse(of)
	for j, i := range of {
		if i >= 0 {
			of[j] = len(old) - 1 - i
		}
	}
	return of
}

// byChunks is byWords, but pairs whole chunks between two spaces first.
func byChunks(old, new []string) []int {
	of := make([]int, 0, len(new))
	was, wasAt := chunks(old)
	is, isAt := chunks(new)
	i, j := 0, 0 // the first words that are not paired yet
	between := func(oldEnd, newEnd int) {
		for _, k := range byWords(old[i:oldEnd], new[j:newEnd]) {
			if k >= 0 {
				k += i
			}
			of = append(of, k)
		}
		i, j = oldEnd, newEnd
	}
	for y, x := range byWords(was, is) {
		if x < 0 || is[y] == " " {
			continue
		}
		between(wasAt[x], isAt[y])
		for n := isAt[y+1] - isAt[y]; n > 0; n-- {
			of = append(of, i)
			i, j = i+1, j+1
		}
	}
	between(len(old), len(new))
	return of
}

// chunks returns the words joined up to a space, and each space by itself; and the index
// of the word at which each chunk starts, with one more entry for the end.
func chunks(words []string) (joined []string, starts []int) {
	for i, word := range words {
		if i == 0 || look(word) == ' ' || look(words[i-1]) == ' ' {
			starts = append(starts, i)
		}
	}
	starts = append(starts, len(words))
	for k, start := range starts[:len(starts)-1] {
		joined = append(joined, strings.Join(words[start:starts[k+1]], ""))
	}
	return joined, starts
}
