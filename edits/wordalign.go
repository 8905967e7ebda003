package edits

import (
	"slices"

	"znkr.io/diff"
)

// byWords returns, for each of the new words, which of the old ones it is, -1
// for none: as many as can be.
func byWords(old, new []string) []int {
	var options []diff.Option
	if len(old)+len(new) > usualBounds.always {
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

// byWordsBackwards is byWords, read from the end.
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

// byChunks is byWords, but what is between two spaces stays together if it can.
func byChunks(old, new []string) []int {
	of := make([]int, 0, len(new))
	was, is := chunks(old), chunks(new)
	i, j := 0, 0 // the first words that are not dealt with
	between := func(oldEnd, newEnd int) {
		for _, k := range byWords(old[i:oldEnd], new[j:newEnd]) {
			if k >= 0 {
				k += i
			}
			of = append(of, k)
		}
		i, j = oldEnd, newEnd
	}
	oldAt, newAt := offsets(old, was), offsets(new, is)
	for y, x := range byWords(was, is) {
		if x < 0 || is[y] == " " {
			continue
		}
		between(oldAt[x], newAt[y])
		for n := newAt[y+1] - newAt[y]; n > 0; n-- {
			of = append(of, i)
			i, j = i+1, j+1
		}
	}
	between(len(old), len(new))
	return of
}

// chunks returns the words joined up to a space, and each space by itself.
func chunks(words []string) []string {
	var out []string
	open := false
	for _, word := range words {
		space := look(word) == ' '
		if open && !space {
			out[len(out)-1] += word
		} else {
			out = append(out, word)
		}
		open = !space
	}
	return out
}

// offsets returns which of the words each chunk starts with, and one more for
// the end.
func offsets(words, chunks []string) []int {
	at, n := make([]int, 0, len(chunks)+1), 0
	for _, chunk := range chunks {
		at = append(at, n)
		for size := 0; size < len(chunk); n++ {
			size += len(words[n])
		}
	}
	return append(at, n)
}
